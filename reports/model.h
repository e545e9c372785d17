/// The joined content of the page: each case × metric with both sides' visits and its finding.
///
/// The sections make their view models from this; no section reads cases from a Run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/estimate/achieved.h"
#include "analysis/estimate/moved_bytes.h"
#include "reports/report.h"

namespace plumbline {

/// How a verdict or a status is shown: never by colour alone.
struct Label {
  std::string_view symbol, word;
  std::string_view tone;  // class of page.css: slower faster same unresolved unjudged broken
  int rank = 0;           // order of concern, 0 first
  bool needs_action = false;
};
Label label_of(Verdict verdict);
Label label_of(EntryKind excuse);
Label label_of(Status status);

/// One side of a case × metric.
struct SideView {
  std::vector<const ResultRow*> visits;  // those with samples, in time order
  const ResultRow* row = nullptr;        // any row of the case, even without samples
  std::optional<double> estimate;        // in the metric's base unit
  std::optional<double> low, high;       // its interval, if there is one
  std::string_view kernels;  // of one launch of the case, JSON (store/recorded/kernels.h)
  std::map<std::string_view, std::string> absent;  // metrics of the case -> why a visit lacks them
};

/// Views point into the runs and the comparison of the ReportInput, which must outlive them.
struct CaseView {
  std::string_view suite, id, op, backend, metric, unit;
  const Finding* finding = nullptr;  // null in a run alone
  SideView baseline, candidate;
  Label label;
  std::string_view status;  // of the candidate
  std::string reason;       // why it has no verdict, or no samples
  std::vector<std::string_view> flags;
  double flops = kUnknown, bytes = kUnknown;  // of one launch
  Achieved achieved;                          // by the candidate
  MovedBytes moved;                           // by a launch of the candidate, if it was counted
  std::optional<double> spread;  // middle 80 % of the candidate's samples, as a fraction
};

struct ReportModel {
  const ReportInput& input;
  std::vector<CaseView> cases;       // those that need action first, then in the comparison's order
  bool baseline_is_reduced = false;  // it has only one mean for each visit
  bool is_calibrated = false;        // shares of a calibrated peak are known
  /// Suite and case -> metrics that are shown but not judged, times first.
  std::map<std::pair<std::string, std::string>, std::vector<ShownMetric>> shown;
};

/// Throws Error if `input` has no candidate.
ReportModel make_model(const ReportInput& input);

/// Bytes of a launch by the GPU's counters, else kUnknown: counted with a cold L2, they are those
/// of times with a cold cache.
double counted_bytes(const CaseView& view);

/// FLOP/s for work with at least 16 FLOP per byte moved, else B/s; nothing if the cost is unknown.
struct Rate {
  double per_second = kUnknown;
  std::string_view unit;
};
Rate rate_of(const CaseView& view);

/// The case's suite as used on a command line: its path, else its name.
std::string suite_word(const ReportModel& model, const CaseView& view);

/// The command that measures this case again.
std::string reproduce_command(const ReportModel& model, const CaseView& view);

}  // namespace plumbline
