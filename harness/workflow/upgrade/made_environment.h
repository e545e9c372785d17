/// An environment of Python that pip makes from requirements, with a worker for its torch.
///
/// Kept in the cache and used again for the same requirements; `gc environments` removes it. Runs
/// pip; measures nothing.
#pragma once

#include <string>
#include <vector>

#include "schedule/process/child_process.h"
#include "workflow/talk.h"

namespace plumbline {

struct EnvironmentRequest {
  /// Separated by blanks: "torch==2.15.0 nvidia-cudnn-cu13==9.28.1.4". pip installs the first one
  /// with all that it needs; the others replace single packages of these, whatever versions torch
  /// asks for.
  std::string requirements;
  std::vector<std::string> more;    // requirements that are installed beside the first one
  std::string python;               // the program that makes it; "" = the active environment's
  std::vector<std::string> wheels;  // folders in which pip also looks for the worker's wheel
};

/// The program with which environments are made: the request's, else that of the active
/// environment, else of the environment that holds this program, else python3.
std::string python_that_makes(const EnvironmentRequest& request);

struct EnvironmentPlan {
  std::string prefix;    // the folder that holds it, or will
  bool is_made = false;  // it is there
  std::string commands;  // that make it, without its worker, for a shell
  std::string worker;    // for people: where its worker would come from
};

/// What make_environment() would do. Starts Python to ask its version, and makes nothing. Throws
/// Error for requirements and folders that cannot be meant.
EnvironmentPlan plan_environment(const EnvironmentRequest& request);

struct MadeEnvironment {
  std::string prefix;
  Descriptor lock;  // while it is open, nobody removes or makes the environment
  int signal = 0;   // the signal that stopped it; it is incomplete then
};

/// Another command that makes the same environment is waited for. The worker is the wheel that pip
/// finds for the torch of the environment, else `plumbline worker build` compiles one. Throws Error
/// for requirements that pip cannot install, with its last lines, and if they bring no torch.
MadeEnvironment make_environment(const EnvironmentRequest& request, Talk& talk);

}  // namespace plumbline
