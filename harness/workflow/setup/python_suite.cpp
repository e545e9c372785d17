#include "workflow/setup/python_suite.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/error.h"
#include "store/file.h"
#include "workflow/scratch_folder.h"
#include "workflow/setup/project.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr double kWritingTimeout_s = 900;  // makes the tensors of each case once
constexpr std::size_t kTail = 1000;

std::string write(const std::string& path, const std::vector<std::string>& set,
                  const HostPython& python) {
  const ScratchFolder scratch;
  const fs::path folder = scratch.path();
  std::vector<std::string> argv{python.program, package_folder() + "/_suite_writer.py",
                                fs::absolute(path).lexically_normal().string(), scratch.path()};
  argv.insert(argv.end(), set.begin(), set.end());
  const ProgramOutput output = run_program(argv, kWritingTimeout_s);
  if (fs::exists(folder / "suite.yaml")) return read_text((folder / "suite.yaml").string());
  if (fs::exists(folder / "mistake.txt")) throw Error(read_text((folder / "mistake.txt").string()));
  const std::string tail =
      output.err.substr(output.err.size() - std::min(output.err.size(), kTail));
  throw Error(path + ": " + python.program +
              (output.timed_out ? " was stopped after 15 minutes" : " " + output.end.words()) +
              " before the suite was written" + (tail.empty() ? "" : "; it printed: " + tail));
}

}  // namespace

bool is_python_suite(const std::string& path) { return fs::path(path).extension() == ".py"; }

YamlFile written_suite(const std::string& path, const std::vector<std::string>& set,
                       const HostPython& python) {
  // A command reads its suites several times, and Python takes seconds to start.
  static std::map<std::vector<std::string>, std::string> known;
  std::vector<std::string> key{fs::absolute(path).string(), python.program, read_text(path)};
  key.insert(key.end(), set.begin(), set.end());
  const auto place = known.find(key);
  const std::string& text =
      place != known.end() ? place->second : known[key] = write(path, set, python);
  return {path, text, /*has_lines=*/false};
}

std::string package_folder() {
  const fs::path programs = program_folder();
  fs::path folder = programs.parent_path() / "share" / "plumbline" / "python";
  if (const auto environment = environment_of_program(programs.string()))
    folder = environment->packages;
  folder /= "plumbline_gpu";
  if (!fs::exists(folder / "__init__.py"))
    throw Error("the package plumbline_gpu is missing: found no " + folder.string() +
                "; pip install plumbline-gpu brings it");
  return folder.string();
}

}  // namespace plumbline
