/// Why cases changed, as far as the runs show it: findings that changed alike, the region of the
/// sweep that they fill, and what else the runs recorded differently there.
///
/// Pure data, part of the verdict object (comparison.h). causes.h finds causes;
/// reports/cause_text.h puts them into words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

enum class Verdict;

/// A condition on one parameter. A case meets it if its value is one of `values` ("" = the default,
/// which ids leave out) or in the range, ends included.
struct AxisCondition {
  std::string name;
  std::vector<std::string> values;
  bool is_except = false;           // all values but these
  std::optional<double> low, high;  // a range, where `values` is empty
  bool operator==(const AxisCondition&) const = default;
};

/// A region of one op × backend. All cases that fit are counted, not only those of the cause.
struct CausePart {
  std::string op, backend;
  std::vector<AxisCondition> region;  // all of them hold; none: every case of the op × backend
  std::size_t changed = 0;            // cases that fit and changed in the cause's way
  std::size_t cases = 0;              // cases that fit and were compared
  std::size_t open = 0;               // those of `cases` that are UNRESOLVED
};

/// How far the cause's cases moved in one metric: fractions.
struct MetricChange {
  std::string metric;
  std::size_t cases = 0;
  double low = 0, median = 0, high = 0;
};

/// What a run recorded beside the times, and how it changed over the cause's cases.
struct RecordedFact {
  std::string name, label, unit;      // unit: "" for texts
  bool is_of_run = false;             // one value for the whole run, not one for each case
  std::size_t changed = 0, same = 0;  // cases
  std::size_t unknown = 0;            // cases for which a side did not record it: no claim is made
  std::string missing;                // the side that lacks it: "baseline", "candidate", "both"
  std::string before, after;          // the most frequent change; where nothing changed, the value
  std::size_t variants = 0;           // different changes, by text
  std::optional<double> before_value, after_value;  // of the case whose ratio is in the middle
};

/// What the parts of a cause share where the cause covers several ops.
struct SharedTrait {
  std::string kind;         // kernel, clock, environment
  std::string text;         // name of the kernel; names of what changed in the environment
  std::size_t changed = 0;  // cases that have the trait and changed in the cause's way
  std::size_t cases = 0;    // cases that have the trait and were compared
};

/// A part of the time of the cause's cases: a phase of their steps, or a kernel of their launches.
/// Seconds of all calls, summed over the cases. Those of kernels are from a traced launch of each
/// visit, with a cold cache if the suite has one.
struct MovedPart {
  std::string kind;  // phase, kernel
  std::string name;
  double before_s = 0, after_s = 0;
};

struct Cause {
  Verdict verdict{};             // of all its findings
  std::string status;            // BROKEN: what the cases are now, one for all
  std::string measure;           // "time", "host_time", or the name of another metric
  std::vector<CausePart> parts;  // one, or several that share the trait
  std::optional<SharedTrait> trait;
  std::size_t cases = 0;
  std::vector<MetricChange> changes;
  std::optional<double> cost;  // sum over cases of candidate − baseline in `unit`, worst metric
  std::string unit;
  std::string worst_suite, worst_case, worst_metric;
  std::vector<MovedPart> moved;  // where the time went, as far as runs recorded it
  std::vector<RecordedFact> facts;
  std::size_t clock_explains = 0;  // cases in which the clock moved as much as the time did
};

}  // namespace plumbline
