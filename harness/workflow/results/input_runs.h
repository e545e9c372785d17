/// Results as commands name them: a run directory, a baseline file, a folder of baselines.
///
/// Finds and joins; what is in the files is store/'s.
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

/// Whether `path` is a folder that is no run: baselines of many devices, or of one.
bool is_baselines_folder(const std::string& path);

/// The names of the suites that a run holds results of, sorted.
std::set<std::string> suites_of(const Run& run);

/// Whether all cases of its suites were asked for; not where that was not recorded.
bool is_of_whole_suites(const Run& run);

/// The runs at `paths`, each whole; what is doubtful about them is told.
std::vector<Run> read_runs(const std::vector<std::string>& paths, Talk& talk);

/// The baseline at `path` (as read_input_runs()) for a run that is in memory. Suites without one,
/// and conditions that differ between them, are told in its warnings.
std::optional<Baseline> read_baseline(const std::string& path, const Run& candidate);

/// What is compared. No baseline: the folder that was named holds none for the candidate.
struct InputRuns {
  Run candidate;
  std::optional<Baseline> baseline;
};

/// `baseline`: a run directory or a baseline file, which is read at the same time as the candidate,
/// or a folder of baselines. Cases that the candidate's command left out are not of it. Throws
/// Error.
InputRuns read_input_runs(const std::string& baseline, const std::string& candidate);

/// Runs of one device and measurement revision as one: shards, or baselines of several suites.
/// Throws Error where they are of different devices or hold the same case.
Run joined(std::vector<Run> runs, const std::string& path);

/// What the suites of a run said about single cases when it was measured; a note says where that
/// was not recorded.
struct SuiteRules {
  CompareOptions options;
  std::vector<std::string> notes;
};
SuiteRules rules_of(const Run& run);

/// The cases of a run's suites in the order in which these declare them.
struct DeclaredCases {
  std::vector<CaseKey> order;
  std::vector<std::string> unread;  // suites of which it was not recorded
};
DeclaredCases declared_cases(const Run& run);

/// A file of the project that a run belongs to: the first of its suites that is found, unchanged
/// or, where there is none, as it is today.
std::optional<std::string> home_of(const Run& run);

}  // namespace plumbline
