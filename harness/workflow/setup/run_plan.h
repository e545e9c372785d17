/// The plan of a run before it begins: its cases, device and directory, or the run to resume.
///
/// Measures nothing.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/run/run.h"
#include "schedule/device_lock.h"
#include "schedule/devices.h"
#include "workflow/setup/project.h"
#include "workflow/setup/request.h"
#include "workflow/setup/suites.h"
#include "workflow/setup/worker_program.h"
#include "workflow/talk.h"

namespace plumbline {

struct RunPlan {
  Project project;
  std::string root;                      // of the git tree with the suites, or ""
  std::vector<WorkerDevice> devices;     // of one class; each case is measured on one of them
  LoadedSuites loaded;                   // the cases are those of the shard
  std::map<CaseKey, std::string> homes;  // by case: the device that measured it before
  RunInfo info;                          // of a new run; not yet started
};

/// Reads suites and asks the worker for its devices. Throws Error, also if no case is selected.
RunPlan plan_run(const RunRequest& flags, const WorkerProgram& worker, const Project& project,
                 const std::vector<std::string>& files, const std::vector<std::string>& command,
                 Talk& talk);

/// The record of a new run of these suites; `folder`: in the tree to be measured.
RunInfo info_of(const RunRequest& flags, const std::vector<WorkerDevice>& devices,
                const LoadedSuites& loaded, const std::string& folder,
                const std::vector<std::string>& command);

/// Notes that CUDA_DEVICE_MAX_CONNECTIONS of the user's environment is not used.
void set_aside_connections(Talk& talk);

/// The devices, and those that further ranks of the cases need. Throws Error if the worker cannot
/// name them.
std::vector<WorkerDevice> devices_of_ranks(const WorkerProgram& worker,
                                           std::vector<WorkerDevice> devices,
                                           std::span<const Case> cases);

/// Locks the devices until the result is destroyed. Throws Error if one is locked already.
std::vector<DeviceLock> lock_devices(const std::vector<WorkerDevice>& devices,
                                     const std::vector<std::string>& command);

/// True if successors of that many workers may load while these measure. The device must not be the
/// CPU, which loading would disturb. Each worker needs three processors: for itself, its library's
/// threads, and its successor.
bool may_have_successors(const WorkerDevice& device, std::size_t workers);

/// How to start workers on the devices; their output goes to `folder`.
std::vector<RunDevice> run_devices(const RunPlan& plan, const WorkerProgram& worker,
                                   const std::string& folder, Interrupt& interrupt);

/// "cuda:0, cuda:1".
std::string device_names(const RunPlan& plan);

/// The flags that decided which cases were measured, and how; in one order for all commands.
std::vector<std::string> flags_of(const RunInfo& info);

/// Throws Error that names what differs between the run and the command that resumes it. With
/// `any_device`, it may be another device of the same class and driver.
void check_same_run(const RunInfo& started, const RunInfo& now, bool any_device = false);

}  // namespace plumbline
