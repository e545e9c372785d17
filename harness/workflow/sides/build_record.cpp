#include "workflow/sides/build_record.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "core/cache_key.h"
#include "workflow/setup/git.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Variables of the terminal, session, language or CI job, and of libraries at run time: no build
/// should depend on them.
constexpr std::string_view kVolatileBeginnings[] = {"CI_",
                                                    "CUDA_DEVICE",
                                                    "CUDA_LAUNCH",
                                                    "CUDA_VISIBLE",
                                                    "DBUS_",
                                                    "GATE_",
                                                    "GIT_",
                                                    "GITHUB_",
                                                    "GITLAB_",
                                                    "HUDSON_",
                                                    "JENKINS_",
                                                    "JOB_",
                                                    "KMP_",
                                                    "LC_",
                                                    "LESS",
                                                    "MKL_",
                                                    "NVIDIA_",
                                                    "OMP_",
                                                    "NIGHTLY_",
                                                    "RUN_",
                                                    "RUNNER_",
                                                    "SLURM_",
                                                    "SSH_",
                                                    "STAGE_",
                                                    "SYSTEMD_",
                                                    "TERM",
                                                    "TMUX",
                                                    "VSCODE_",
                                                    "XDG_",
                                                    "PLUMBLINE_CACHE",
                                                    "PLUMBLINE_LOCKS"};
constexpr std::string_view kVolatileNames[] = {"BUILD_DISPLAY_NAME",
                                               "BUILD_ID",
                                               "BUILD_NUMBER",
                                               "BUILD_TAG",
                                               "BUILD_URL",
                                               "COLORTERM",
                                               "COLUMNS",
                                               "DISPLAY",
                                               "EDITOR",
                                               "EXECUTOR_NUMBER",
                                               "HOSTNAME",
                                               "INVOCATION_ID",
                                               "JOURNAL_STREAM",
                                               "LANG",
                                               "LANGUAGE",
                                               "LINES",
                                               "LOGNAME",
                                               "LS_COLORS",
                                               "MAIL",
                                               "NODE_NAME",
                                               "NO_COLOR",
                                               "OLDPWD",
                                               "PAGER",
                                               "PLUMBLINE_BUILD",
                                               "PWD",
                                               "SHELL",
                                               "SHLVL",
                                               "STY",
                                               "TZ",
                                               "USER",
                                               "VISUAL",
                                               "WINDOWID",
                                               "WORKSPACE",
                                               "_"};

constexpr const char* kCompilers[] = {"c++",   "cc",   "clang",    "clang++", "cmake",
                                      "g++",   "gcc",  "gfortran", "ld",      "make",
                                      "ninja", "nvcc", "python3"};

constexpr const char* kBuild = "the build command";
constexpr const char* kEdits = "files of its checkout";

bool is_volatile(std::string_view name) {
  return std::ranges::find(kVolatileNames, name) != std::end(kVolatileNames) ||
         std::ranges::any_of(kVolatileBeginnings,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

std::string line(const std::string& what, const std::string& value) {
  return what + '\t' + value + '\n';
}

std::string variable_lines() {
  std::string lines;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    // Hashed: a value may be a secret.
    if (!is_volatile(name)) lines += line("variable " + name, cache_key(text));
  }
  return lines;
}

/// Searches every folder on PATH: the first compiler may be a wrapper such as ccache.
std::string compiler_lines() {
  std::map<std::string, std::string> found;
  std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const char* name : kCompilers) {
      std::error_code none;
      const fs::path path = fs::canonical(fs::path(folder) / name, none);
      if (none || !fs::is_regular_file(path, none)) continue;
      const auto size = fs::file_size(path, none);
      const auto time = fs::last_write_time(path, none).time_since_epoch().count();
      found[path.string()] = fmt::format("{} {}", size, time);
    }
  std::string lines;
  for (const auto& [path, state] : found) lines += line("compiler " + path, state);
  return lines;
}

/// Splits the lines of a record into names and values.
std::map<std::string, std::string> parsed(const std::string& record) {
  std::map<std::string, std::string> values;
  std::istringstream lines(record);
  for (std::string text; std::getline(lines, text);) {
    const std::size_t tab = text.rfind('\t');
    if (tab != std::string::npos) values[text.substr(0, tab)] = text.substr(tab + 1);
  }
  return values;
}

}  // namespace

std::string build_record(const std::string& folder, const std::string& command) {
  const std::string build = line(kBuild, cache_key(folder + '\n' + command));
  return command.empty() ? build : build + variable_lines() + compiler_lines();
}

std::string edits_record(const std::string& root) {
  return line(kEdits, cache_key(git_text(root, {"diff", "--binary", "--submodule=diff", "HEAD"})));
}

std::vector<std::string> differences(const std::string& before, const std::string& now) {
  const auto was = parsed(before), is = parsed(now);
  std::set<std::string> names;
  for (const auto& [name, value] : was)
    if (const auto found = is.find(name); found == is.end() || found->second != value)
      names.insert(name);
  for (const auto& [name, value] : is)
    if (!was.contains(name)) names.insert(name);
  return {names.begin(), names.end()};
}

}  // namespace plumbline
