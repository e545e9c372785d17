/// From samples to estimates: what one run says about a case × metric (design, section 1).
///
/// Median within a block, mean over the blocks of a visit, then the mean of the logarithms over
/// visits: a ratio of two estimates is a difference of means. The visit is the unit of replication.
/// The same code serves runs and baselines, whose blocks hold one median each. Knows one run;
/// compare.h compares two. Reads no files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

/// One metric of one visit. Variances are relative: of value / mean, without unit.
struct VisitValue {
  std::int64_t round = 0;
  double mean = 0;                      // over the blocks' medians, in the metric's unit
  double block_variance = kUnknown;     // between blocks; unknown with one block
  double step = 0;                      // smallest difference between its blocks; 0: they are equal
  std::size_t blocks = 0, samples = 0;  // only those that count
  std::size_t set_aside = 0;            // blocks that do not count
};

/// False for a block that was set aside because of an external cause: it is kept and shown, but is
/// not part of any estimate.
bool counts(const ResultRow& row, std::size_t block);

/// "3 of 16 blocks set aside (thermal)"; "" if all count.
std::string set_aside_text(const ResultRow& row);

/// The value of a row with samples; blocks without samples are skipped. Throws Error that names
/// case, metric and round if a sample is not finite or no block counts.
VisitValue visit_value(const ResultRow& row);

/// A case × metric over its visits.
struct Estimate {
  std::vector<VisitValue> visits;
  std::vector<double> logs;    // of the visit means; empty if one of them is not above 0
  double value = kUnknown;     // exp(mean of logs), in the metric's unit; for a metric other than
                               // time with a visit at 0, the mean over visits
  double variance = kUnknown;  // between visits, of logs; unknown with one visit
  double block_floor = 0;      // variance of a visit's log mean that its blocks alone give: a lower
                               // bound of `variance`, since a process adds its own
  double resolution = 0;       // smallest relative step between different values: the timer is not
                               // finer; 0: all values are equal
};

Estimate estimate(std::span<const ResultRow* const> rows);

/// Estimate from visits without blocks, as summaries keep them. `logs` must not be empty.
Estimate estimate_of_visits(std::span<const double> logs);

/// Where a run's visits lie, from their logarithms. The median from three visits on, so that one
/// disturbed process has no influence; else the mean.
double middle_of_visits(std::span<const double> logs);

struct MetricRows {
  std::string_view metric, unit;
  std::vector<const ResultRow*> rows;  // with blocks that count, in the order of the run
};

/// A run's rows of one case: views into the run, which must outlive them.
struct CaseRows {
  std::string_view suite, case_id, op, backend, revision, device;
  Status status = Status::ok;  // over all rounds: a failure in one round is the case's
  std::string reason;          // "round 2: …" where that round gave the status
  std::vector<MetricRows> metrics;
  std::map<std::string_view, std::string> absent;  // metric -> why a visit could not measure it
  std::vector<const ResultRow*> rows;

  bool measured() const { return !metrics.empty(); }
};

/// WRONG, CRASHED, TIMEOUT, OUT_OF_MEMORY: the case does not do what it should.
bool is_failure(Status status);

/// All cases of a run, in the order in which they first appear.
std::vector<CaseRows> rows_by_case(const Run& run);

/// One row of summary.csv. Spreads are fractions of the estimate; kUnknown if the data do not show
/// them (a reduced baseline has no launches, one visit has no spread between visits).
struct CaseSummary {
  std::string suite, case_id, op, backend, revision, device;
  Status status = Status::ok;
  std::string reason;
  std::string metric, unit;                                        // "" for a case without samples
  std::size_t rounds = 0, blocks = 0, samples = 0, set_aside = 0;  // set aside: blocks
  double estimate = kUnknown;
  std::optional<double> low, high;  // interval over visits; nothing with fewer than two
  double launch_mad = kUnknown;     // within a block: median over blocks of MAD / median
  double block_sd = kUnknown;       // between the blocks of a visit
  double visit_sd = kUnknown;       // between visits, of the logs
  double tail = kUnknown;           // p95 / median of a visit's blocks, minus 1; mean over visits
  std::vector<double> visit_means;  // of each visit, in the metric's unit, in the order of the run
  double flops_per_s = kUnknown, bytes_per_s = kUnknown;  // achieved.h
  double percent_of_peak = kUnknown;                      // of the nearer limit
  std::vector<std::string> flags;  // of any visit, and of the achieved rates, each once
  double temperature_c = kUnknown, power_w = kUnknown;  // the highest of its visits
  double clock_hz = kUnknown;                           // median over blocks
  std::string throttle;                                 // reasons of any visit, '+' between them
};

/// summary.csv of a run: one row for each case × metric, and one for each case without samples.
/// `confidence` of the intervals, in (0, 1).
std::vector<CaseSummary> summarize(const Run& run, double confidence = 0.99);

/// Adds the flags of the rows to `flags`, each once, in order of first appearance.
void add_flags(std::span<const ResultRow* const> rows, std::vector<std::string>& flags);

}  // namespace plumbline
