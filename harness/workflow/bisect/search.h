/// One search over a line of versions: builds and measures what the binary search asks for
/// (analysis/bisect/bisection.h), and keeps it in bisect.json.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/bisect/bisection.h"
#include "workflow/bisect/versions.h"
#include "workflow/results/page.h"
#include "workflow/sides/paired_run.h"
#include "workflow/upgrade/made_environment.h"

namespace plumbline {

constexpr const char* kBisectRecord = "bisect.json";

struct BisectRequest {
  std::string good, bad;            // revisions, or requirements of pip; both empty with a list
  std::string list;                 // file with a version in each line
  std::string case_id, metric;      // metric "": the first time that the case has
  BisectRule rule;                  // its error rate is that of all searches together
  std::optional<double> threshold;  // nothing: that of verdicts on the device
  SidesOptions sides;
  EnvironmentRequest environments;  // of releases; the requirements are those of a version
  RunRequest run;                   // its output: the folder of the search
  bool resume = false;
  std::vector<std::string> command;
};

/// One search. A merge that it finds is followed by another one, among the commits of its branch.
struct BisectSearch {
  std::vector<Version> versions;
  BisectResult result;
  std::vector<std::pair<std::size_t, std::string>> skipped;  // position, reason
  std::size_t builds = 0, pairs = 0;
  double threshold = 0;  // smallest change that was searched for, a fraction
  std::string step;      // folder of the pairs of the versions beside the found change; "" = none
};

/// The user stopped it.
struct Stopped {
  int signal;
};

/// `folder` gets the record and all pairs. `metric`, if empty, is set to the first time that the
/// case has. Throws Error, also if GOOD or BAD cannot be built or measured, and Stopped.
BisectSearch search_versions(const BisectRequest& request, std::vector<Version> versions,
                             std::string folder, std::string& metric, Talk& talk);

}  // namespace plumbline
