/// Suites as commands take them: files found, read, checked against the worker's operators, cut to
/// what a device can and flags select.
///
/// Knows files and flags; what a suite says is suite/'s.
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

/// Cases, by suite and id.
using CaseNames = std::set<std::pair<std::string, std::string>>;

struct LoadedSuites {
  std::vector<Suite> suites;              // whole
  std::vector<Case> cases;                // of all of them; after keep_selected() those selected
  std::vector<ExpectedFailure> expected;  // of selected cases, as far as the device is known
  std::vector<std::string> notes;
  /// Where the device is not known, by its kind: those that would be UNSUPPORTED there. Of all.
  std::map<std::string, CaseNames> undecided;
};

/// The flags that choose among cases, as they were given.
std::string words_of(const Selection& selection);

/// Reads the suites, with all of their cases. `worker` may be null: then operators are not checked,
/// with a note. No files: nothing. Throws Error for mistakes in suites and two suites of one name.
LoadedSuites read_suites(const std::vector<std::string>& files, const SuiteRequest& flags,
                         const WorkerProgram* worker);

/// Applies what suites say about the device, once. `device` may be null: then it is not applied,
/// with a note.
void apply_device(LoadedSuites& loaded, const Environment* device);

/// Those of the cases that are selected. Throws Error for a selection that names nothing.
std::vector<Case> selected_cases(const LoadedSuites& loaded, const Selection& selection);

/// Cuts the cases, and what is expected of them, to those that are selected. Throws as above.
void keep_selected(LoadedSuites& loaded, const Selection& selection);

/// All of these, one after the other.
LoadedSuites load_suites(const std::vector<std::string>& files, const SuiteRequest& flags,
                         const WorkerProgram* worker, const Environment* device);

/// Whether any of the suites asks for facts about the device.
bool asks_for_device(const std::vector<std::string>& files);

}  // namespace plumbline
