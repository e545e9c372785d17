/// What a run is about before it begins: its cases, its device, its directory, or the one that is
/// resumed.
///
/// Measures nothing.
#pragma once

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
  std::string root;                   // of the git tree that the suites lie in, or ""
  std::vector<WorkerDevice> devices;  // of one class; a case is measured on one of them
  LoadedSuites loaded;
  Shard shard;
  RunInfo info;  // of a new run; not yet started
};

/// Reads suites and asks the worker for its devices. Throws Error, also where nothing is selected.
RunPlan plan_run(const RunRequest& flags, const WorkerProgram& worker, const Project& project,
                 const std::vector<std::string>& files, const std::vector<std::string>& command,
                 Talk& talk);

/// The record of a run of these suites that is to begin; `folder`: in the tree that is measured.
RunInfo info_of(const RunRequest& flags, const std::vector<WorkerDevice>& devices,
                const LoadedSuites& loaded, const std::string& folder,
                const std::vector<std::string>& command);

/// CUDA_DEVICE_MAX_CONNECTIONS of the user's environment is told and not used.
void set_aside_connections(Talk& talk);

/// Their locks, held until they are destroyed. Throws Error where one is taken.
std::vector<DeviceLock> lock_devices(const std::vector<WorkerDevice>& devices,
                                     const std::vector<std::string>& command);

/// Whether successors of that many workers may load while these measure: the device is not the CPU
/// that they would disturb, and there is one for the worker, one for its library's threads, and one
/// for its successor.
bool may_have_successors(const WorkerDevice& device, std::size_t workers);

/// How workers are started on them; what these print goes to `folder`.
std::vector<RunDevice> run_devices(const RunPlan& plan, const WorkerProgram& worker,
                                   const std::string& folder, Interrupt& interrupt);

/// "cuda:0, cuda:1".
std::string device_names(const RunPlan& plan);

/// Throws Error naming what differs between the run and the command that is to resume it.
void check_same_run(const RunInfo& started, const RunInfo& now);

}  // namespace plumbline
