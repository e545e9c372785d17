#include "analysis/estimate/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "analysis/estimate/achieved.h"
#include "analysis/estimate/moved_bytes.h"
#include "analysis/estimate/tails.h"
#include "core/error.h"
#include "core/run/metric.h"
#include "stats/descriptive.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

/// How much a round's status says about the case, worst first. Samples outrank statuses without
/// samples, because the case is then judged by the visits that it has.
constexpr std::array kByWeight{Status::wrong,     Status::crashed,     Status::out_of_memory,
                               Status::timeout,   Status::unverified,  Status::ok,
                               Status::throttled, Status::interrupted, Status::unsupported,
                               Status::excluded};
static_assert(kByWeight.size() == kStatusNames.size());

std::size_t weight(Status status) {
  return static_cast<std::size_t>(std::ranges::find(kByWeight, status) - kByWeight.begin());
}

void note_status(CaseRows& found, const ResultRow& row) {
  if (!found.rows.empty() && weight(row.status) >= weight(found.status)) return;
  found.status = row.status;
  found.reason = row.reason;
  if (is_failure(row.status) || row.status == Status::throttled)
    found.reason =
        "round " + std::to_string(row.round) + (row.reason.empty() ? "" : ": ") + row.reason;
}

bool has_value(const ResultRow& row) {
  if (!has_samples(row.status)) return false;
  for (std::size_t i = 0; i < row.samples.blocks(); ++i)
    if (counts(row, i)) return true;
  return false;
}

/// Why the visit has no value of the row's metric; "" if it has one, or if no metric is named.
std::string absence(const ResultRow& row) {
  if (row.metric.empty() || has_value(row)) return "";
  if (has_samples(row.status)) return set_aside_text(row);
  return row.reason.empty() ? std::string(name_of(row.status)) : row.reason;
}

void add_row(CaseRows& found, const ResultRow& row) {
  note_status(found, row);
  found.rows.push_back(&row);
  if (std::string why = absence(row); !why.empty()) found.absent.emplace(row.metric, why);
  if (!has_value(row)) return;
  auto metric = std::ranges::find(found.metrics, std::string_view(row.metric), &MetricRows::metric);
  if (metric == found.metrics.end()) {
    found.metrics.push_back({row.metric, row.unit, {}});
    metric = found.metrics.end() - 1;
  }
  metric->rows.push_back(&row);
}

double launch_mad(std::span<const ResultRow* const> rows) {
  std::vector<double> spreads;
  bool reduced = true;
  for (const ResultRow* row : rows)
    for (std::size_t i = 0; i < row->samples.blocks(); ++i) {
      const std::span<const double> block = row->samples.block(i);
      if (block.empty() || !counts(*row, i)) continue;
      reduced = reduced && block.size() == 1;
      spreads.push_back(median_absolute_deviation(block) / std::abs(median(block)));
    }
  if (reduced) return kUnknown;
  std::erase_if(spreads, [](double spread) { return !std::isfinite(spread); });
  return spreads.empty() ? kUnknown : median(spreads);
}

double block_sd(const Estimate& found) {
  double sum = 0;
  std::size_t known = 0;
  for (const VisitValue& visit : found.visits)
    if (std::isfinite(visit.block_variance)) sum += visit.block_variance, ++known;
  return known == 0 ? kUnknown : std::sqrt(sum / static_cast<double>(known));
}

CaseSummary identity_of(const CaseRows& found) {
  CaseSummary row;
  row.suite = found.suite;
  row.case_id = found.case_id;
  row.op = found.op;
  row.backend = found.backend;
  row.revision = found.revision;
  row.device = found.device;
  row.status = found.status;
  row.reason = found.reason;
  return row;
}

/// Sets temperature, power, clock and throttle reasons.
void set_conditions(std::span<const ResultRow* const> rows, CaseSummary& summary) {
  std::vector<double> clocks;
  for (const ResultRow* row : rows) {
    summary.temperature_c = std::fmax(summary.temperature_c, row->temperature_c);
    summary.power_w = std::fmax(summary.power_w, row->power_w);
    for (const double clock : row->block_clocks_hz)
      if (std::isfinite(clock)) clocks.push_back(clock);
    for (std::string_view left = row->throttle; !left.empty();) {
      const std::string_view reason = left.substr(0, left.find('+'));
      left.remove_prefix(std::min(left.size(), reason.size() + 1));
      if (('+' + summary.throttle + '+').find('+' + std::string(reason) + '+') == std::string::npos)
        summary.throttle.append(summary.throttle.empty() ? "" : "+").append(reason);
    }
  }
  if (!clocks.empty()) summary.clock_hz = median(clocks);
}

CaseSummary summary_of(const CaseRows& found, const MetricRows& metric, const RunInfo& info,
                       double confidence) {
  CaseSummary row = identity_of(found);
  const Estimate value = estimate(metric.rows);
  row.metric = metric.metric;
  row.unit = metric.unit;
  row.rounds = value.visits.size();
  for (const VisitValue& visit : value.visits) {
    row.blocks += visit.blocks;
    row.samples += visit.samples;
    row.set_aside += visit.set_aside;
    row.visit_means.push_back(visit.mean);
  }
  row.estimate = value.value;
  if (value.logs.size() > 1) {
    const Interval interval = mean_interval(value.logs, confidence);
    row.low = std::exp(interval.low);
    row.high = std::exp(interval.high);
    row.visit_sd = std::sqrt(value.variance);
  }
  if (const auto tails = tails_of(metric); !tails.empty()) row.tail = std::expm1(mean(tails));
  row.launch_mad = launch_mad(metric.rows);
  row.block_sd = block_sd(value);
  const Achieved rates = achieved(metric, value, info);
  row.flops_per_s = rates.flops_per_s;
  row.bytes_per_s = rates.bytes_per_s;
  row.percent_of_peak = 100 * rates.share();
  add_flags(metric.rows, row.flags);
  row.flags.insert(row.flags.end(), rates.flags.begin(), rates.flags.end());
  if (metric.metric == kDramBytes &&
      moved_bytes(metric.rows.front()->bytes, value.value, info.environment).is_off)
    row.flags.emplace_back(kFlagDeclaredBytes);
  set_conditions(metric.rows, row);
  return row;
}

/// Smallest difference beyond rounding between values; 0: there is none. Sorts the values.
double smallest_step(std::vector<double>& values) {
  constexpr double kRounding = 1e-9;
  std::ranges::sort(values);
  double least = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double step = values[i] - values[i - 1];
    if (step > kRounding * std::abs(values[i]) && (least == 0 || step < least)) least = step;
  }
  return least;
}

/// Resolution from blocks if they differ, else from visits.
double resolution_of(std::span<const VisitValue> visits) {
  double least = 0;
  std::vector<double> means;
  for (const VisitValue& visit : visits) {
    means.push_back(visit.mean);
    if (visit.step > 0 && (least == 0 || visit.step < least)) least = visit.step;
  }
  return least > 0 ? least : smallest_step(means);
}

}  // namespace

bool is_failure(Status status) {
  return status == Status::wrong || status == Status::crashed || status == Status::timeout ||
         status == Status::out_of_memory;
}

bool counts(const ResultRow& row, std::size_t block) {
  return block >= row.block_causes.size() || row.block_causes[block].empty();
}

std::string set_aside_text(const ResultRow& row) {
  std::vector<std::string_view> causes;
  std::size_t blocks = 0;
  std::string words;
  for (std::size_t i = 0; i < row.samples.blocks(); ++i) {
    if (counts(row, i)) continue;
    ++blocks;
    const std::string& cause = row.block_causes[i];
    if (std::ranges::find(causes, cause) != causes.end()) continue;
    causes.push_back(cause);
    words += (words.empty() ? "" : ", ") + cause;
  }
  if (blocks == 0) return "";
  return std::to_string(blocks) + " of " + std::to_string(row.samples.blocks()) +
         " blocks set aside (" + words + ")";
}

double middle_of_visits(std::span<const double> logs) {
  constexpr std::size_t kMedianFrom = 3;
  return logs.size() < kMedianFrom ? mean(logs) : median(logs);
}

namespace {

VisitValue value_of_reduced(const ResultRow& row) {
  const ReducedBlocks& blocks = *row.reduced;
  VisitValue visit;
  visit.round = row.round;
  visit.mean = row.samples.values().front();
  visit.block_variance = blocks.sd * blocks.sd;
  visit.step = blocks.step;
  visit.blocks = visit.samples = blocks.count;
  visit.set_aside = blocks.set_aside;
  return visit;
}

}  // namespace

VisitValue visit_value(const ResultRow& row) {
  if (row.reduced) return value_of_reduced(row);
  VisitValue visit;
  visit.round = row.round;
  std::vector<double> medians;
  medians.reserve(row.samples.blocks());
  try {
    for (std::size_t i = 0; i < row.samples.blocks(); ++i) {
      const std::span<const double> block = row.samples.block(i);
      if (block.empty()) continue;
      if (!counts(row, i)) {
        ++visit.set_aside;
        continue;
      }
      medians.push_back(median(block));
      visit.samples += block.size();
    }
    visit.blocks = medians.size();
    visit.mean = mean(medians);
    if (medians.size() < 2) return visit;
    visit.step = smallest_step(medians);
    for (double& value : medians) value /= visit.mean;  // their squares could overflow
    visit.block_variance = visit.mean == 0 ? kUnknown : variance(medians);
  } catch (const Error& error) {
    throw Error("case " + row.case_id + ", metric " + row.metric + ", round " +
                std::to_string(row.round) + ": " + error.what());
  }
  return visit;
}

Estimate estimate(std::span<const ResultRow* const> rows) {
  Estimate result;
  result.visits.reserve(rows.size());
  for (const ResultRow* row : rows) result.visits.push_back(visit_value(*row));
  if (rows.empty()) return result;
  if (std::ranges::any_of(result.visits, [](auto& v) { return !(v.mean > 0); })) {
    // A time is never 0, but a launch may need no memory.
    double sum = 0;
    for (const VisitValue& visit : result.visits) sum += visit.mean;
    if (rows.front()->unit != "s") result.value = sum / static_cast<double>(rows.size());
    return result;
  }
  double floors = 0;
  result.logs.reserve(rows.size());
  for (const VisitValue& visit : result.visits) {
    result.logs.push_back(std::log(visit.mean));
    if (visit.blocks > 1) floors += visit.block_variance / static_cast<double>(visit.blocks);
  }
  result.block_floor = floors / static_cast<double>(rows.size());
  result.value = std::exp(mean(result.logs));
  result.resolution = resolution_of(result.visits) / result.value;
  if (rows.size() > 1) result.variance = variance(result.logs);
  return result;
}

Estimate estimate_of_visits(std::span<const double> logs) {
  Estimate result;
  result.logs.assign(logs.begin(), logs.end());
  result.value = std::exp(mean(logs));
  for (const double log : logs) result.visits.push_back({.mean = std::exp(log)});
  result.resolution = resolution_of(result.visits) / result.value;
  if (logs.size() > 1) result.variance = variance(logs);
  return result;
}

std::vector<CaseRows> rows_by_case(const Run& run) {
  std::vector<CaseRows> cases;
  // One map per suite: the rows of a run name few suites.
  std::unordered_map<std::string_view, std::unordered_map<std::string_view, std::size_t>> places;
  for (const ResultRow& row : run.rows) {
    const auto [place, is_new] = places[row.suite].try_emplace(row.case_id, cases.size());
    if (is_new) {
      CaseRows& added = cases.emplace_back();
      added.suite = row.suite;
      added.case_id = row.case_id;
      added.op = row.op;
      added.backend = row.backend;
      added.revision = row.revision;
      added.device = row.device;
    } else if (CaseRows& known = cases[place->second]; known.device != row.device) {
      known.device = {};  // it was resumed on another one
    }
    add_row(cases[place->second], row);
  }
  return cases;
}

std::vector<CaseSummary> summarize(const Run& run, double confidence) {
  std::vector<CaseSummary> rows;
  for (const CaseRows& found : rows_by_case(run)) {
    if (!found.measured()) rows.push_back(identity_of(found));
    for (const MetricRows& metric : found.metrics)
      rows.push_back(summary_of(found, metric, run.info, confidence));
  }
  return rows;
}

void add_flags(std::span<const ResultRow* const> rows, std::vector<std::string>& flags) {
  for (const ResultRow* row : rows)
    for (const std::string& flag : row->flags)
      if (std::ranges::find(flags, flag) == flags.end()) flags.push_back(flag);
}

}  // namespace plumbline
