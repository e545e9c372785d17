#include "workflow/upgrade/made_environment.h"

#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/cache_key.h"
#include "core/error.h"
#include "core/last_line.h"
#include "core/words.h"
#include "store/file.h"
#include "workflow/setup/cache_folder.h"
#include "workflow/setup/project.h"
#include "workflow/setup/python_environment.h"
#include "workflow/sides/checkout.h"
#include "workflow/sides/side_build.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameDigits = 12;  // as gc looks for
constexpr const char* kComplete = "/.complete";
constexpr double kWheelTimeout_s = 600;

/// A requirement that always means the same: NAME==VERSION, NAME@URL, or a wheel, which gets its
/// whole path. Throws Error for any other: the environment is kept under its name.
std::string exact(const std::string& word) {
  if (word.starts_with('-'))
    throw Error("expected requirements of pip such as torch==2.15.0, and found the option " + word);
  if (word.ends_with(".whl")) {
    if (!fs::is_regular_file(word)) throw Error(word + ": there is no such wheel");
    return fs::absolute(word).lexically_normal().string();
  }
  if (word.find("==") == word.npos && word.find("://") == word.npos)
    throw Error("'" + word + "': expected a version, as in torch==2.15.0, or a wheel");
  return word;
}

std::vector<std::string> words_of(const std::string& requirements) {
  std::vector<std::string> words;
  std::istringstream text(requirements);
  for (std::string word; text >> word;) words.push_back(exact(word));
  if (words.empty()) throw Error("expected a requirement of pip, such as torch==2.15.0");
  return words;
}

/// What decides which packages the environment gets.
std::string key_of(const EnvironmentRequest& request, const std::string& python) {
  const ProgramOutput version =
      run_program({python, "-I", "-c", "import sys; print(sys.version)"}, kWheelTimeout_s);
  if (version.end.exit_code != 0 || version.out.empty())
    throw Error("'" + python + "' is no Python: it " + version.end.words());
  std::string key = version.out + PLUMBLINE_VERSION;
  const auto add = [&key](const std::string& word, const char* how) {
    key += how + word + (word.ends_with(".whl") ? cache_key(read_text(word)) : "");
  };
  for (const std::string& word : words_of(request.requirements)) add(word, "\n");
  for (const std::string& word : request.more) add(exact(word), "\nbeside ");
  for (const char* name : {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_PRE"})
    if (const char* const set = std::getenv(name)) key += std::string("\n") + name + "=" + set;
  return key;
}

/// The commands that make the environment without its worker, for a shell.
std::string commands_of(const EnvironmentRequest& request, const std::string& python,
                        const std::string& folder) {
  const std::vector<std::string> words = words_of(request.requirements);
  const std::vector<std::string> pip{folder + "/bin/python3",      "-I", "-m", "pip", "install",
                                     "--disable-pip-version-check"};
  std::vector<std::string> first = pip, others = pip;
  first.push_back(words.front());
  for (const std::string& word : request.more) first.push_back(exact(word));
  others.emplace_back("--no-deps");
  others.insert(others.end(), words.begin() + 1, words.end());
  std::string commands =
      shell_command({python, "-I", "-m", "venv", folder}) + " && " + shell_command(first);
  if (words.size() > 1) commands += " && " + shell_command(others);
  return commands;
}

/// plumbline-gpu-torch215, as harness/python/worker/pyproject.toml names it.
std::string wheel_for(const Torch& torch) {
  std::string name = "plumbline-gpu-torch";
  int dots = 0;
  for (const char c : torch.version) {
    if (c == '.' ? ++dots == 2 : c < '0' || c > '9') break;
    if (c != '.') name += c;
  }
  return name;
}

/// Folders in which pip looks for the worker's wheel. Throws Error for one that is missing.
std::vector<std::string> wheel_folders(const EnvironmentRequest& request) {
  std::vector<std::string> folders{fs::absolute(cache_folder() + "/wheels").string()};
  for (const std::string& wheels : request.wheels) {
    if (!fs::is_directory(wheels))
      throw Error("--find-links " + wheels + ": there is no such folder");
    folders.push_back(fs::absolute(wheels).string());
  }
  return folders;
}

constexpr const char* kCompiled = "a worker is compiled, 30 to 60 minutes on two cores";

/// For people. The torch is known if a requirement names its version.
std::string planned_worker(const EnvironmentRequest& request) {
  const std::vector<std::string> folders = wheel_folders(request);
  constexpr std::string_view kTorch = "torch==";
  const std::vector<std::string> words = words_of(request.requirements);
  const auto torch = std::ranges::find_if(
      words, [&](const std::string& word) { return word.starts_with(kTorch); });
  if (torch == words.end())
    return std::string("for the torch that pip installs: from a wheel, or ") + kCompiled;
  const std::string name = wheel_for({torch->substr(kTorch.size()), "", ""});
  std::string file = name + "-" PLUMBLINE_VERSION "-";
  std::ranges::replace(file.begin(), file.begin() + std::ptrdiff_t(name.size()), '-', '_');
  for (const std::string& folder : folders) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none))
      if (entry.path().filename().string().starts_with(file)) return entry.path().string();
  }
  return "found no wheel " + name + "==" PLUMBLINE_VERSION ": " + kCompiled;
}

bool has_installed_wheel(const EnvironmentRequest& request, const std::string& folder,
                         const Torch& torch, Talk& talk) {
  // Nobody may offer a worker under a name that is not registered yet: no index is asked.
  std::vector<std::string> pip{
      folder + "/bin/python3",       "-I",        "-m", "pip", "install", "--no-deps",
      "--disable-pip-version-check", "--no-index"};
  for (const std::string& wheels : wheel_folders(request))
    pip.insert(pip.end(), {"--find-links", wheels});
  pip.push_back(wheel_for(torch) + "==" PLUMBLINE_VERSION);
  const ProgramOutput done = run_program(pip, kWheelTimeout_s);
  const bool is_installed = done.end.exit_code == 0 && done.end.signal == 0 && !done.timed_out;
  talk.note(is_installed ? "its worker is " + pip.back()
                         : "pip finds no wheel " + pip.back() + " (" + last_line(done.err) +
                               "): " + kCompiled);
  return is_installed;
}

/// Installs a worker for the environment's torch. Returns the signal that stopped it, or 0.
int add_worker(const EnvironmentRequest& request, const std::string& folder, Talk& talk) {
  const PythonEnvironment environment = environment_in(folder);
  const auto torch = torch_of(environment);
  if (!torch)
    throw Error("'" + request.requirements +
                "' brings no torch, which a worker needs; name torch "
                "first, as in 'torch==2.15.0 nvidia-cudnn-cu13==9.28.1.4'");
  if (has_installed_wheel(request, folder, *torch, talk)) return 0;
  return run_build({.who = "a worker for " + in_words(*torch),
                    .command = shell_command({program_folder() + "/plumbline", "worker", "build",
                                              "--torch", environment.python}),
                    .folder = folder,
                    .log = build_log_of(folder)},
                   talk);
}

/// Makes the environment in that folder. Returns the signal that stopped it, or 0.
int make(const EnvironmentRequest& request, const std::string& python, const std::string& folder,
         Talk& talk) {
  const int signal = run_build({.who = request.requirements,
                                .command = commands_of(request, python, folder),
                                .folder = fs::path(folder).parent_path().string(),
                                .log = build_log_of(folder)},
                               talk);
  if (signal != 0) return signal;
  const int stopped = add_worker(request, folder, talk);
  if (stopped == 0 && !worker_of(environment_in(folder)))
    throw Error("no worker was installed into " + folder);
  return stopped;
}

/// Removes a folder at its end unless it is complete.
class UnlessComplete {
 public:
  explicit UnlessComplete(std::string folder) : folder_(std::move(folder)) {}
  UnlessComplete(const UnlessComplete&) = delete;
  UnlessComplete& operator=(const UnlessComplete&) = delete;
  ~UnlessComplete() {
    std::error_code ignored;
    if (!fs::exists(folder_ + kComplete)) fs::remove_all(folder_, ignored);
  }

 private:
  std::string folder_;
};

/// The folder that holds the environment, made or not.
std::string prefix_of(const EnvironmentRequest& request, const std::string& python) {
  return fs::absolute(cache_folder()).string() + "/upgrade-" +
         cache_key(key_of(request, python)).substr(0, kNameDigits);
}

}  // namespace

std::string python_that_makes(const EnvironmentRequest& request) {
  const std::string& named = request.python;  // a path is relative to where the command was called
  if (!named.empty()) return named.find('/') == named.npos ? named : fs::absolute(named).string();
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* const active = std::getenv(variable))
      if (const fs::path python = fs::path(active) / "bin/python3"; fs::exists(python))
        return python.string();
  const auto own = environment_of_program(program_folder());
  return own ? own->python : "python3";
}

EnvironmentPlan plan_environment(const EnvironmentRequest& request) {
  const std::string python = python_that_makes(request);
  const std::string prefix = prefix_of(request, python);
  return {prefix, fs::exists(prefix + kComplete), commands_of(request, python, prefix),
          planned_worker(request)};
}

MadeEnvironment make_environment(const EnvironmentRequest& request, Talk& talk) {
  const std::string python = python_that_makes(request);
  const std::string prefix = prefix_of(request, python);
  fs::create_directories(fs::path(prefix).parent_path());
  MadeEnvironment made{prefix, open_to_append(prefix + ".lock"), 0};
  if (flock(made.lock.get(), LOCK_SH | LOCK_NB) != 0) {
    talk.note("another command makes the environment " + made.prefix + "; waiting for it");
    wait_for_lock(made.lock, LOCK_SH);
  }
  if (fs::exists(made.prefix + kComplete)) return made;
  wait_for_lock(made.lock, LOCK_EX);
  const UnlessComplete kept(made.prefix);
  if (!fs::exists(made.prefix + kComplete)) {
    fs::remove_all(made.prefix);  // a command that was killed left it
    made.signal = make(request, python, made.prefix, talk);
    if (made.signal != 0) return made;
    write_atomically(made.prefix + kComplete, request.requirements + "\n");
  }
  wait_for_lock(made.lock, LOCK_SH);
  return made;
}

}  // namespace plumbline
