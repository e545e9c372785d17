#include "schedule/process/sandbox.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "core/error.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr double kProbe_s = 20;

constexpr std::array kSystem{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/sys"};
/// Of /etc only what programs need to start: it also has keys, which root could read.
constexpr std::array kSettings{
    "alternatives", "fonts",        "group",        "host.conf", "hosts",      "ld.so.cache",
    "ld.so.conf",   "ld.so.conf.d", "locale.alias", "localtime", "nccl.conf",  "nsswitch.conf",
    "nvidia",       "os-release",   "passwd",       "python3",   "python3.11", "python3.12",
    "python3.13",   "services",     "vulkan"};

/// Files of /proc with which root, in a sandbox too, would change the kernel outside of it.
constexpr std::array kKernelSettings{"/proc/sys", "/proc/sysrq-trigger", "/proc/acpi",
                                     "/proc/fs",  "/proc/mtrr",          "/proc/scsi"};

constexpr std::array kVariables{
    "CC",       "CFLAGS",       "CI",         "CONDA_PREFIX",      "CPATH",     "CPPFLAGS",
    "CXX",      "CXXFLAGS",     "HOME",       "GLIBC_TUNABLES",    "LANG",      "LANGUAGE",
    "LDFLAGS",  "LIBRARY_PATH", "LOGNAME",    "LD_LIBRARY_PATH",   "MAKEFLAGS", "LD_PRELOAD",
    "NO_COLOR", "PATH",         "PYTHONPATH", "SOURCE_DATE_EPOCH", "TERM",      "TZ",
    "USER",     "VIRTUAL_ENV"};
constexpr std::array kVariableGroups{
    "ASAN_",      "CUBLAS_", "CUDA_",    "CUDNN_", "GLOO_",          "GOMP_",   "KMP_",
    "LC_",        "MALLOC_", "MKL_",     "NCCL_",  "NVIDIA_",        "OMP_",    "OPENBLAS_",
    "PLUMBLINE_", "PYTHON",  "PYTORCH_", "TORCH_", "TORCHINDUCTOR_", "TRITON_", "UBSAN_"};
constexpr std::array kSecrets{"TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH", "_KEY", "APIKEY"};

/// Each path at its own place.
void add_binds(std::vector<std::string>& words, const char* option,
               const std::vector<std::string>& paths) {
  for (const std::string& path : paths) words.insert(words.end(), {option, path, path});
}

bool is_within(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

/// Without what lies in another one or in the system. bwrap cannot bind over a link in these, and
/// needs not.
std::vector<std::string> outermost(std::vector<std::string> paths) {
  std::ranges::sort(paths);  // a folder before what is in it
  std::vector<std::string> kept;
  for (const std::string& path : paths) {
    const auto holds_path = [&](const std::string& folder) { return is_within(path, folder); };
    if (std::ranges::none_of(kSystem, holds_path) && std::ranges::none_of(kept, holds_path))
      kept.push_back(path);
  }
  return kept;
}

/// The nodes of GPUs in /dev.
std::vector<std::string> gpu_nodes() {
  std::vector<std::string> nodes;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/dev", none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("nvidia") || name == "dri") nodes.push_back(entry.path().string());
  }
  return nodes;
}

}  // namespace

bool is_shown_variable(const std::string& name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  if (std::ranges::any_of(kSecrets, has)) return false;
  return std::ranges::count(kVariables, std::string_view(name)) > 0 ||
         std::ranges::any_of(kVariableGroups,
                             [&](const char* group) { return name.starts_with(group); });
}

std::vector<std::string> sandbox_words(const Sandbox& sandbox, const std::vector<std::string>& argv,
                                       const EnvironmentVariables& variables,
                                       const std::vector<std::string>& devices) {
  EnvironmentVariables shown = variables;
  if (shown["HOME"].empty()) shown["HOME"] = "/tmp/home";
  shown["PLUMBLINE_CACHE"] = "/tmp/plumbline";
  shown["TMPDIR"] = "/tmp";
  // bwrap is process 1 of the sandbox, where programs can read its environment: it gets theirs. But
  // variables of the dynamic linker would load their libraries into bwrap, outside.
  std::vector<std::string> words{"/usr/bin/env", "-i"}, inside;
  for (const auto& [name, value] : shown)
    if (name.starts_with("LD_") || name == "GLIBC_TUNABLES")
      inside.insert(inside.end(), {"--setenv", name, value});
    else
      words.push_back(name + '=' + value);
  const std::string processes = std::to_string(kSandboxProcesses);
  const std::string bytes = std::to_string(kSandboxFile_bytes);
  words.insert(words.end(), {"bwrap", "--unshare-all", "--unshare-user", "--disable-userns",
                             "--cap-drop", "ALL", "--die-with-parent", "--new-session"});
  for (const char* folder : kSystem) words.insert(words.end(), {"--ro-bind-try", folder, folder});
  for (const char* name : kSettings) {
    const std::string path = std::string("/etc/") + name;
    words.insert(words.end(), {"--ro-bind-try", path, path});
  }
  words.insert(words.end(), inside.begin(), inside.end());
  words.insert(words.end(), {"--proc", "/proc", "--dev", "/dev"});
  for (const char* path : kKernelSettings) words.insert(words.end(), {"--ro-bind-try", path, path});
  add_binds(words, "--dev-bind-try", devices);
  words.insert(words.end(), {"--tmpfs", "/tmp", "--dir", shown["HOME"]});
  add_binds(words, "--ro-bind", outermost(sandbox.readable));
  add_binds(words, "--bind", sandbox.writable);
  for (const std::string& folder : sandbox.covered) words.insert(words.end(), {"--tmpfs", folder});
  add_binds(words, "--ro-bind", sandbox.kept);
  // In the sandbox, so that only its own processes count.
  words.insert(words.end(),
               {"--", "prlimit", "--nproc=" + processes, "--fsize=" + bytes, "--core=0", "--"});
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

std::vector<std::string> sandboxed(const Sandbox& sandbox, const std::vector<std::string>& argv,
                                   const EnvironmentVariables& variables) {
  EnvironmentVariables shown = variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, equals);
    if (equals < text.size() && is_shown_variable(name))
      shown.emplace(name, text.substr(equals + 1));
  }
  return sandbox_words(sandbox, argv, shown, gpu_nodes());
}

ProcessEnd end_inside(ProcessEnd end) {
  constexpr int kBySignal = 128, kSignals = 64;
  if (end.signal == 0 && end.exit_code > kBySignal && end.exit_code <= kBySignal + kSignals) {
    end.signal = end.exit_code - kBySignal;
    end.exit_code = 0;
  }
  return end;
}

void require_sandbox() {
  const std::vector<std::string> words = sandboxed({}, {"true"});
  const ProgramOutput done = run_program(words, kProbe_s);
  if (!done.timed_out && done.end.signal == 0 && done.end.exit_code == 0) return;
  constexpr int kNotFound = 127;  // of env
  if (done.end.exit_code == kNotFound)
    throw Error(
        "--sandbox needs bubblewrap, and there is no `bwrap` on PATH: install it (apt-get install "
        "bubblewrap), or leave --sandbox out for code that you trust. Nothing was run");
  std::string said = done.err.substr(0, done.err.find('\n'));
  if (done.timed_out) said = "no answer";
  if (said.empty()) said = done.end.words();
  throw Error(
      "--sandbox: this machine cannot make a sandbox; bwrap says: " + said +
      ". It needs bubblewrap 0.8 and user namespaces. In a container, allow these (for docker: "
      "--security-opt seccomp=unconfined --security-opt systempaths=unconfined --security-opt "
      "apparmor=unconfined); on Ubuntu 24.04, give bwrap an AppArmor profile that allows userns. "
      "Or leave --sandbox out for code that you trust. Nothing was run");
}

}  // namespace plumbline
