#include "workflow/setup/python_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "schedule/process/child_process.h"
#include "store/file.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPackage = "plumbline_gpu";
constexpr const char* kWorkers = "plumbline_gpu_workers";  // as in harness/worker/CMakeLists.txt
constexpr double kPythonTimeout_s = 30;
// Python looks for modules in the present folder first, which may be the tree of others.
constexpr const char* kFindTorch =
    "import sys; sys.path[:] = filter(None, sys.path); import importlib.util as u; "
    "s = u.find_spec('torch'); print(s.origin if s else '', end='')";

/// The Python of a folder of packages: lib/python3.11/site-packages belongs to python3.11.
std::string python_of(const fs::path& prefix, const fs::path& packages) {
  const std::string folder = packages.parent_path().filename().string();
  const std::string name = folder.starts_with("python3") ? folder : "python3";
  for (const std::string& candidate : {name, std::string("python3")})
    if (const fs::path own = prefix / "bin" / candidate; fs::exists(own)) return own.string();
  return name;
}

/// 2.11 from 2.11.0+cu130, 13 from 13.0.
std::string first_parts(std::string_view version, int count) {
  std::size_t end = 0;
  for (; end < version.size(); ++end)
    if ((version[end] == '.' && --count == 0) || version[end] == '+') break;
  return std::string(version.substr(0, end));
}

/// The text between quotes in the line of that Python variable; "" for None.
std::string python_text(std::string_view text, const std::string& variable) {
  const auto line = text.starts_with(variable) ? 0 : text.find("\n" + variable);
  if (line == text.npos) return "";
  const auto end = std::min(text.find('\n', line + 1), text.size());
  const auto open = text.find('\'', line);
  if (open >= end) return "";
  return std::string(text.substr(open + 1, text.find('\'', open + 1) - open - 1));
}

std::vector<std::string> workers_in(const PythonEnvironment& environment) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(fs::path(environment.packages) / kWorkers, none))
    if (fs::is_regular_file(entry.path() / "plumbline-worker"))
      names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Prints the versions of Python and Triton if that Python has torch.
constexpr const char* kDescribePython = R"(
import sys
sys.path[:] = filter(None, sys.path)
import importlib.metadata as m, importlib.util as u
if u.find_spec("torch"):
    triton = m.version("triton") if u.find_spec("triton") else ""
    print(sys.version.split()[0], triton, end="")
)";

std::optional<HostPython> with_torch(const std::string& program) {
  try {
    const std::string words = run_program({program, "-c", kDescribePython}, kPythonTimeout_s).out;
    const auto blank = words.find(' ');
    if (blank == words.npos) return std::nullopt;
    return HostPython{program, words.substr(0, blank), words.substr(blank + 1)};
  } catch (const Error&) {
    return std::nullopt;  // no such program
  }
}

constexpr const char* kBuildIt = "`plumbline worker build` compiles one for it";

[[noreturn]] void fail_on_fit(const std::vector<std::string>& workers,
                              const std::optional<Torch>& torch) {
  const std::string there = "the workers of this environment are for " + joined(workers);
  if (!torch) throw Error(there + ", and it has no torch; install one: pip install torch");
  if (torch->cuda.empty())
    throw Error(
        fmt::format("{}, and its {} has no CUDA; install one with CUDA, which measures the "
                    "CPU as well",
                    there, in_words(*torch)));
  throw Error(fmt::format("{}, and it has {}, which needs {}; {}", there, in_words(*torch),
                          worker_name_for(*torch), kBuildIt));
}

/// The dynamic linker searches here for libraries that the worker's own path does not lead to.
std::string library_path_to(const Torch& torch) {
  const fs::path folder = torch.folder;
  std::string path = (folder / "torch/lib").string();
  for (const char* name : {"nvidia/cu13/lib", "nvidia/cudnn/lib"})
    path += ":" + (folder / name).string();
  const char* const before = std::getenv("LD_LIBRARY_PATH");
  if (!before || !*before) return path;
  return std::string_view(before).starts_with(path) ? before : path + ":" + before;
}

}  // namespace

std::vector<fs::path> package_folders(const fs::path& prefix) {
  std::vector<fs::path> folders{prefix};  // pip install --target
  for (const char* lib : {"lib", "lib64", "local/lib"}) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(prefix / lib, none))
      if (entry.path().filename().string().starts_with("python3"))
        for (const char* name : {"site-packages", "dist-packages"})
          folders.push_back(entry.path() / name);
  }
  return folders;
}

std::optional<PythonEnvironment> environment_of_program(const std::string& folder) {
  const fs::path prefix = fs::path(folder).parent_path();
  for (const fs::path& packages : package_folders(prefix))
    if (fs::exists(packages / kPackage / "__init__.py"))
      return PythonEnvironment{packages.string(), python_of(prefix, packages)};
  return std::nullopt;
}

PythonEnvironment environment_in(const std::string& prefix) {
  if (!fs::is_directory(prefix)) throw Error("'" + prefix + "' is no folder");
  for (const char* name : {"bin/python3", "bin/python"})
    if (const fs::path python = fs::path(prefix) / name; fs::exists(python)) {
      PythonEnvironment environment{"", python.string()};
      for (const fs::path& packages : package_folders(prefix)) {
        if (packages == prefix || !fs::is_directory(packages)) continue;
        if (environment.packages.empty()) environment.packages = packages.string();
        if (fs::exists(packages / kWorkers)) return {packages.string(), environment.python};
      }
      return environment;
    }
  throw Error("'" + prefix + "' is no environment of Python: it has no bin/python3");
}

Torch read_torch_version(std::string_view text) {
  Torch torch;
  torch.version = python_text(text, "__version__");
  torch.cuda = python_text(text, "cuda");
  return torch;
}

std::optional<Torch> torch_of(const PythonEnvironment& environment) {
  fs::path file = fs::path(environment.packages) / "torch/version.py";
  if (!fs::exists(file)) try {
      const auto asked = run_program({environment.python, "-c", kFindTorch}, kPythonTimeout_s);
      if (asked.out.empty()) return std::nullopt;
      file = fs::path(asked.out).parent_path() / "version.py";
    } catch (const Error&) {
      return std::nullopt;  // no such Python
    }
  if (!fs::exists(file)) return std::nullopt;
  Torch torch = read_torch_version(read_text(file.string()));
  torch.folder = file.parent_path().parent_path().string();
  return torch;
}

std::string in_words(const Torch& torch) {
  return fmt::format("torch {} in {}", torch.version, torch.folder);
}

std::string worker_name_for(const Torch& torch) {
  return fmt::format("torch-{}-cu{}", first_parts(torch.version, 2), first_parts(torch.cuda, 1));
}

std::optional<InstalledWorker> worker_of(const PythonEnvironment& environment) {
  const std::vector<std::string> workers = workers_in(environment);
  if (workers.empty()) return std::nullopt;
  const auto torch = torch_of(environment);
  if (!torch || std::ranges::count(workers, worker_name_for(*torch)) == 0)
    fail_on_fit(workers, torch);
  const fs::path folder = fs::path(environment.packages) / kWorkers / worker_name_for(*torch);
  return InstalledWorker{(folder / "plumbline-worker").string(),
                         torch->folder == environment.packages ? "" : library_path_to(*torch)};
}

HostPython find_python(const std::string& named, const std::string& program_folder) {
  if (!named.empty()) {
    if (auto python = with_torch(named)) return *python;
    throw Error(fmt::format("$PLUMBLINE_PYTHON names '{}', which is no Python with torch", named));
  }
  std::vector<std::string> candidates;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* const active = std::getenv(variable))
      candidates.push_back((fs::path(active) / "bin/python3").string());
  if (const auto own = environment_of_program(program_folder)) candidates.push_back(own->python);
  candidates.emplace_back("python3");
  for (const std::string& candidate : candidates)
    if (auto python = with_torch(candidate)) return *python;
  throw Error(
      "`op: python` needs a Python with torch, and none of these has it: " + joined(candidates) +
      "; activate an environment that has it, or name its Python in $PLUMBLINE_PYTHON");
}

std::string how_to_get_worker_into(const std::string& prefix) {
  return "install one (pip install 'plumbline-gpu[torch]' with its Python), or compile one: "
         "plumbline worker build --torch " +
         prefix;
}

std::string how_to_get_worker(const std::string& folder) {
  const auto environment = environment_of_program(folder);
  if (!environment)
    return "build it (scripts/bench does), or name one with --worker or $PLUMBLINE_WORKER";
  const auto torch = torch_of(*environment);
  const std::string install =
      "install it: " + environment->python + " -m pip install 'plumbline-gpu[torch]'";
  if (!torch) return install + " (it brings torch, 5 GB)";
  return fmt::format("{}; where pip has none for {}, {}", install, in_words(*torch), kBuildIt);
}

}  // namespace plumbline
