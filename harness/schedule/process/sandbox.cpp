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
/// Numbers below it are given only once, so they do not count.
constexpr int kReservedNumbers = 300;
constexpr const char* kProcessNumbers = "/proc/sys/kernel/pid_max";

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

namespace {

/// A file system of its own in memory, below a limit.
void add_scratch(std::vector<std::string>& words, const ResourceLimits& limits,
                 const std::string& folder) {
  words.insert(words.end(), {"--size", std::to_string(limits.memory_bytes / 2), "--tmpfs", folder});
}

/// Namespaces in which there are only so many process numbers.
std::vector<std::string> with_few_numbers(int processes) {
  return {"unshare",
          "--user",
          "--map-current-user",
          "--pid",
          "--fork",
          "--kill-child",
          "--",
          "/bin/sh",
          "-c",
          "echo \"$0\" > \"$1\" && shift && exec \"$@\"",
          std::to_string(processes + kReservedNumbers),
          kProcessNumbers};
}

/// In the sandbox, so that only its own processes count. Those that the kernel ends first if memory
/// runs out should be these.
std::vector<std::string> limiting_words(const ResourceLimits& limits, const LimitMeans& means) {
  std::vector<std::string> words{"choom",
                                 "-n",
                                 "1000",
                                 "--",
                                 "prlimit",
                                 "--nproc=" + std::to_string(limits.processes),
                                 "--fsize=" + std::to_string(kSandboxFile_bytes),
                                 "--core=0"};
  // Not --as: CUDA reserves addresses for all memory of all GPUs.
  if (!means.has_memory_group) words.push_back("--data=" + std::to_string(limits.memory_bytes));
  words.emplace_back("--");
  return words;
}

bool has_process_numbers() {
  const ProgramOutput done = run_program(
      [] {
        std::vector<std::string> words = with_few_numbers(kSandboxProcesses);
        words.emplace_back("true");
        return words;
      }(),
      kProbe_s);
  return !done.timed_out && done.end.signal == 0 && done.end.exit_code == 0;
}

}  // namespace

LimitMeans limit_means() {
  static const LimitMeans means = [] {
    LimitMeans found{!group_place().memory.empty(), !group_place().processes.empty(), false,
                     geteuid() == 0};
    if (!found.has_process_group && found.is_root)
      found.has_process_numbers = has_process_numbers();
    return found;
  }();
  return means;
}

std::vector<std::string> gaps_in(const LimitMeans& means, const ResourceLimits& limits,
                                 const std::string& why_not) {
  std::vector<std::string> gaps;
  const std::string how =
      " (" + why_not +
      "). Start plumbline where it may make control groups: `systemd-run --user --scope plumbline "
      "…`, or as root; or in a container that has limits of its own: --memory, --pids-limit";
  if (!means.has_memory_group)
    gaps.push_back("the sandbox limits the memory of each process to " +
                   bytes_in_words(limits.memory_bytes) +
                   ", but not that of all together, nor memory that processes share" + how);
  if (!means.has_process_group && means.is_root && !means.has_process_numbers)
    gaps.push_back("the sandbox of root does not limit how many processes code starts" + how);
  return gaps;
}

ResourceLimits with_defaults(ResourceLimits limits) {
  if (limits.memory_bytes == 0) limits.memory_bytes = default_memory_bytes(group_place());
  if (limits.processes == 0) limits.processes = kSandboxProcesses;
  return limits;
}

std::vector<std::string> sandbox_words(const Sandbox& sandbox, const std::vector<std::string>& argv,
                                       const EnvironmentVariables& variables,
                                       const std::vector<std::string>& devices,
                                       const LimitMeans& means) {
  const ResourceLimits limits = with_defaults(sandbox.limits);
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
  if (!means.has_process_group && means.is_root && means.has_process_numbers) {
    const std::vector<std::string> few = with_few_numbers(limits.processes);
    words.insert(words.end(), few.begin(), few.end());
  }
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
  words.insert(words.end(), {"--remount-ro", "/dev"});  // its files are memory
  for (const std::string& folder : {std::string("/dev/shm"), std::string("/tmp"), shown["HOME"]})
    add_scratch(words, limits, folder);
  add_binds(words, "--ro-bind", outermost(sandbox.readable));
  add_binds(words, "--bind", sandbox.writable);
  for (const std::string& folder : sandbox.covered)
    words.insert(words.end(), {"--tmpfs", folder, "--remount-ro", folder});
  add_binds(words, "--ro-bind", sandbox.kept);
  words.insert(words.end(), {"--remount-ro", "/", "--"});
  const std::vector<std::string> limiting = limiting_words(limits, means);
  words.insert(words.end(), limiting.begin(), limiting.end());
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

SandboxStart sandboxed(const Sandbox& sandbox, const std::vector<std::string>& argv,
                       const EnvironmentVariables& variables) {
  EnvironmentVariables shown = variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, equals);
    if (equals < text.size() && is_shown_variable(name))
      shown.emplace(name, text.substr(equals + 1));
  }
  SandboxStart start;
  start.group = std::make_unique<ResourceGroup>(group_place(), with_defaults(sandbox.limits));
  start.argv =
      start.group->entered(sandbox_words(sandbox, argv, shown, gpu_nodes(), limit_means()));
  return start;
}

ProgramOutput run_sandboxed(const Sandbox& sandbox, const std::vector<std::string>& argv,
                            double timeout_s, const EnvironmentVariables& variables) {
  const SandboxStart start = sandboxed(sandbox, argv, variables);
  ProgramOutput output = run_program(start.argv, timeout_s);
  output.end = end_inside(output.end);
  if (const std::string exceeded = start.group->exceeded(); !exceeded.empty())
    output.err += (output.err.empty() || output.err.ends_with('\n') ? "" : "\n") + exceeded;
  return output;
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
  const SandboxStart start = sandboxed({}, {"true"});
  const ProgramOutput done = run_program(start.argv, kProbe_s);
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
