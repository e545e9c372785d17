/// Reads the results that commands name: a run directory, a baseline file, a folder of baselines.
///
/// Finds and joins results; store/ reads the files.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "core/run/run.h"
#include "store/run/accepted_runs.h"
#include "workflow/talk.h"

namespace plumbline {

/// True if `path` is a folder but no run: baselines of many devices, or of one.
bool is_baselines_folder(const std::string& path);

/// The names of the suites that a run has results of, sorted.
std::set<std::string> suites_of(const Run& run);

/// True if all cases of its suites were requested; false if that was not recorded.
bool is_of_whole_suites(const Run& run);

/// The complete runs at `paths`; warnings go to `talk`.
std::vector<Run> read_runs(const std::vector<std::string>& paths, Talk& talk);

/// The baseline at `path` (as in read_input_runs()) for a run in memory. Its warnings name suites
/// without a baseline, and differing conditions between baselines.
std::optional<Baseline> read_baseline(const std::string& path, const Run& candidate);

/// The runs to compare. Without a baseline, the named folder has none for the candidate.
struct InputRuns {
  Run candidate;
  std::optional<Baseline> baseline;
};

/// `baseline`: a run directory or a baseline file, which is read in parallel with the candidate, or
/// a folder of baselines. Cases that the candidate's command did not select are left out. Throws
/// Error.
InputRuns read_input_runs(const std::string& baseline, const std::string& candidate);

/// Joins runs of one device class and measurement revision: baselines of several suites.
/// Throws Error if devices differ, or if two runs have the same case.
Run joined(std::vector<Run> runs, const std::string& path);

/// What the suites of a run said about single cases when it was measured. A note says if it was not
/// recorded.
struct SuiteRules {
  CompareOptions options;
  std::vector<std::string> notes;
};
SuiteRules rules_of(const Run& run);

/// The cases of a run's suites in the order of declaration.
struct DeclaredCases {
  std::vector<CaseKey> order;
  std::vector<std::string> unread;  // suites without a recorded order
};
DeclaredCases declared_cases(const Run& run);

/// A file of the project that a run belongs to: the first of its suites that exists unchanged, or
/// else the first that exists with today's content.
std::optional<std::string> home_of(const Run& run);

}  // namespace plumbline
