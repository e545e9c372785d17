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

/// The text that the program left there. It may have left something else: a link would be followed
/// outside of the sandbox.
std::optional<std::string> left_text(const fs::path& file) {
  const fs::file_status status = fs::symlink_status(file);
  if (!fs::exists(status)) return std::nullopt;
  if (!fs::is_regular_file(status)) throw Error("found no plain file in " + file.string());
  return read_text(file.string());
}

std::string write(const std::string& path, const std::vector<std::string>& set,
                  const HostPython& python, std::optional<Sandbox> sandbox) {
  const ScratchFolder scratch;
  const fs::path folder = scratch.path();
  std::vector<std::string> argv{python.program, package_folder() + "/_suite_writer.py",
                                fs::absolute(path).lexically_normal().string(), scratch.path()};
  argv.insert(argv.end(), set.begin(), set.end());
  if (sandbox) {
    sandbox->writable.push_back(scratch.path());
  }
  const ProgramOutput output = sandbox ? run_sandboxed(*sandbox, argv, kWritingTimeout_s)
                                       : run_program(argv, kWritingTimeout_s);
  if (const auto suite = left_text(folder / "suite.yaml")) return *suite;
  if (const auto mistake = left_text(folder / "mistake.txt")) throw Error(*mistake);
  const std::string tail =
      output.err.substr(output.err.size() - std::min(output.err.size(), kTail));
  throw Error(path + ": " + python.program +
              (output.timed_out ? " was stopped after 15 minutes" : " " + output.end.words()) +
              " before the suite was written" + (tail.empty() ? "" : "; it printed: " + tail));
}

}  // namespace

bool is_python_suite(const std::string& path) { return fs::path(path).extension() == ".py"; }

YamlFile written_suite(const std::string& path, const std::vector<std::string>& set,
                       const HostPython& python, const std::optional<Sandbox>& sandbox) {
  // A command reads its suites several times, and Python takes seconds to start.
  static std::map<std::vector<std::string>, std::string> known;
  std::vector<std::string> key{fs::absolute(path).string(), python.program, read_text(path)};
  key.insert(key.end(), set.begin(), set.end());
  const auto place = known.find(key);
  const std::string& text =
      place != known.end() ? place->second : known[key] = write(path, set, python, sandbox);
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
