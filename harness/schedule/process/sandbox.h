/// Starts a program of other people with little to reach: no network, no home, no token, and
/// nothing that it may change.
///
/// The only code that knows bubblewrap (`bwrap`). Which folders a program sees is decided in
/// workflow/setup/sandbox_view.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "schedule/process/child_process.h"
#include "schedule/process/resource_group.h"

namespace plumbline {

/// What a program sees besides the system's libraries and its devices. Absolute paths that exist.
struct Sandbox {
  std::vector<std::string> readable;
  std::vector<std::string> writable;  // besides its own /tmp and home, which end with it
  std::vector<std::string> covered;   // folders within these that look empty
  std::vector<std::string> kept;      // paths within `writable` that are only readable
  ResourceLimits limits;              // 0 = default_limits()
  bool operator==(const Sandbox&) const = default;
};

/// Most processes and threads of the programs in a sandbox. Training with 8 processes on a host of
/// 128 processors needs about 3,000.
inline constexpr int kSandboxProcesses = 8192;
/// Largest file that a program in a sandbox may write; worker.log is one.
inline constexpr long long kSandboxFile_bytes = 8LL << 30;

/// True for variables that programs in a sandbox get: those that say how to compute and where
/// libraries are. Not those whose names tell of a token, a key or a password.
bool is_shown_variable(const std::string& name);

/// What limits memory and processes on this machine. Control groups do both, for all processes
/// together. Without them other means of the kernel limit a part.
struct LimitMeans {
  bool has_memory_group = false;
  bool has_process_group = false;
  bool has_process_numbers = false;  // Linux 6.14 limits them within a sandbox
  bool is_root = false;              // whose processes the kernel does not count
};
LimitMeans limit_means();
/// What these do not limit, why, and what to do; empty if they limit all.
std::vector<std::string> gaps_in(const LimitMeans& means, const ResourceLimits& limits,
                                 const std::string& why_not);

/// Limits with the defaults in place of zeros.
ResourceLimits with_defaults(ResourceLimits limits);

/// The words that start `argv` in the sandbox with exactly `variables`, which the process that
/// starts them must not have: those of the dynamic linker would act outside. `devices`: the nodes
/// of GPUs in /dev. HOME is emptied, and PLUMBLINE_CACHE leads into it. What `means` have no group
/// for is limited by these words, as far as the kernel can.
std::vector<std::string> sandbox_words(const Sandbox& sandbox, const std::vector<std::string>& argv,
                                       const EnvironmentVariables& variables,
                                       const std::vector<std::string>& devices,
                                       const LimitMeans& means = {true, true, true, false});

/// What starts a program in a sandbox. The group must outlive the program: it ends what is left.
struct SandboxStart {
  std::vector<std::string> argv;
  std::unique_ptr<ResourceGroup> group;
};
/// For this machine, with `variables` and those of ours that is_shown_variable(). Throws Error if
/// the limits cannot be set.
SandboxStart sandboxed(const Sandbox& sandbox, const std::vector<std::string>& argv,
                       const EnvironmentVariables& variables = {});
/// Runs a program in it to its end, as run_program(). A limit that it reached is told at the end of
/// `err`.
ProgramOutput run_sandboxed(const Sandbox& sandbox, const std::vector<std::string>& argv,
                            double timeout_s, const EnvironmentVariables& variables = {});

/// bwrap exits with 128 + the number of the signal that ended the program; this undoes it.
ProcessEnd end_inside(ProcessEnd end);

/// Throws Error if this machine cannot make a sandbox, with what bwrap says and what to do.
void require_sandbox();

}  // namespace plumbline
