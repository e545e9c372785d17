/// Loads suites for commands: finds and reads files, checks operators with the worker, and keeps
/// what a device supports and flags select.
///
/// Knows files and flags; suite/ reads the content.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/run/run.h"
#include "suite/suite.h"
#include "workflow/setup/request.h"
#include "workflow/setup/worker_program.h"

namespace plumbline {

/// Cases by suite and id.
using CaseNames = std::set<std::pair<std::string, std::string>>;

struct LoadedSuites {
  std::vector<Suite> suites;              // complete
  std::vector<Case> cases;                // of all suites; keep_selected() removes the others
  std::vector<ExpectedFailure> expected;  // of selected cases, as far as the device is known
  std::vector<std::string> notes;
  /// If the device is unknown: by kind of device, all cases that would be UNSUPPORTED there.
  std::map<std::string, CaseNames> undecided;
};

/// The flags that select cases, as given.
std::string words_of(const Selection& selection);

/// Reads the suites with all their cases. If `worker` is null, operators are not checked, and a
/// note says so. No files: empty. `limits`: which files suites may name, if `worker` does not say
/// it. Throws Error for mistakes in suites and equal names.
LoadedSuites read_suites(const std::vector<std::string>& files, const SuiteRequest& flags,
                         const WorkerProgram* worker,
                         std::shared_ptr<const FileLimits> limits = nullptr);

/// Applies once what suites say about the device. If `device` is null, nothing is applied, and a
/// note says so.
void apply_device(LoadedSuites& loaded, const Environment* device);

/// The selected cases. Throws Error for a selection without cases.
std::vector<Case> selected_cases(const LoadedSuites& loaded, const Selection& selection);

/// Keeps only the selected cases, and the expectations about them. Throws as selected_cases().
void keep_selected(LoadedSuites& loaded, const Selection& selection);

/// All of these steps, one after another.
LoadedSuites load_suites(const std::vector<std::string>& files, const SuiteRequest& flags,
                         const WorkerProgram* worker, const Environment* device);

struct WrittenSuites {
  LoadedSuites loaded;
  std::vector<std::string> in_python;  // files of the others; cases are not selected where one is
};

/// Reads and selects what can be read before there is a worker: all but suites in Python. Finds the
/// mistakes of users before an environment is made, which takes minutes. Throws as load_suites().
WrittenSuites read_written_suites(const RunRequest& request);

/// True if a suite uses facts about the device.
bool asks_for_device(const std::vector<std::string>& files);

}  // namespace plumbline
