#include "schedule/rows.h"

#include <algorithm>
#include <map>

#include "core/code_hash.h"
#include "core/metric.h"
#include "core/value.h"

namespace plumbline {
namespace {

constexpr const char* kNoReason = "the worker gave no reason";

/// "launch=0.12;prepare=0.001", seconds.
std::string text_of(const std::map<std::string, double>& seconds_by_name) {
  std::string text;
  for (const auto& [name, seconds] : seconds_by_name)
    text += (text.empty() ? "" : ";") + name + '=' + shortest_text(seconds);
  return text;
}

ResultRow absent_row(const ResultRow& common, const std::string& metric,
                     const std::string& reason) {
  ResultRow row = common;
  row.status = Status::unsupported;
  row.reason = reason.empty() ? kNoReason : reason;
  row.metric = metric;
  const Metric* const known = find_metric(metric);
  row.unit = known == nullptr ? "" : known->unit;
  return row;
}

ResultRow row_of(const ResultRow& common, const MetricReading& reading) {
  ResultRow row = common;
  row.metric = reading.metric;
  row.unit = reading.unit;
  row.batch = reading.batch;
  row.floor_s = reading.floor_s;
  row.samples = reading.samples;
  row.block_times_s = reading.block_times_s;
  row.block_clocks_hz = reading.block_clocks_hz;
  row.block_placements = reading.block_placements;
  row.block_causes = reading.block_causes;
  row.timers = text_of(reading.timers_s);
  row.temperature_c = reading.temperature_c;
  row.power_w = reading.power_w;
  row.throttle = reading.throttle;
  row.flags = reading.flags;
  return row;
}

}  // namespace

std::string contradiction(const MeasureAnswer& answer) {
  const std::string answered = "the worker answered ";
  const std::string status(name_of(answer.status));
  if (has_samples(answer.status) && answer.metrics.empty() && answer.absent.empty())
    return answered + status + " without a metric";
  if (!has_samples(answer.status) && !answer.metrics.empty())
    return answered + status + " with samples";
  for (const MetricReading& metric : answer.metrics) {
    if (metric.samples.empty() || metric.metric.empty())
      return answered + "metric '" + metric.metric + "' without samples";
    if (answer.absent.contains(metric.metric))
      return answered + "metric '" + metric.metric + "' both with samples and as absent";
  }
  return "";
}

void make_consistent(MeasureAnswer& answer) {
  const std::string what = contradiction(answer);
  if (what.empty()) return;
  answer = {};
  answer.status = Status::crashed;
  answer.reason = what;
}

void stamp(std::span<ResultRow> rows, const std::string& device_uuid, const std::string& worker,
           std::int64_t round, std::int64_t order) {
  for (ResultRow& row : rows) {
    row.device = device_uuid;
    row.worker = worker;
    row.round = round;
    row.order = order;
  }
}

ResultRow unmeasured_row(const Case& c, Status status, const std::string& reason) {
  ResultRow row;
  row.suite = c.suite;
  row.case_id = c.id;
  row.op = c.op;
  row.backend = c.backend;
  row.revision = c.revision;
  row.status = status;
  row.reason = reason;
  return row;
}

std::vector<ResultRow> rows_of(const Case& c, const MeasureAnswer& answer) {
  const bool lacks_reason = answer.reason.empty() && answer.status != Status::ok;
  ResultRow common = unmeasured_row(c, answer.status, lacks_reason ? kNoReason : answer.reason);
  common.code = code_hash(c, answer.files);
  common.kernels = answer.kernels;
  common.plan = answer.plan;
  common.age_s = answer.age_s;
  common.flops = answer.flops;
  common.bytes = answer.bytes;
  common.error_rel_l2 = answer.error_rel_l2;
  common.error_max_abs = answer.error_max_abs;
  common.error_max_ulp = answer.error_max_ulp;
  common.tolerance = answer.tolerance;
  common.repeats = answer.repeats;
  common.spent = text_of(answer.spent_s);

  std::vector<ResultRow> rows;
  if (!has_samples(answer.status)) rows.push_back(common);
  for (const MetricReading& reading : answer.metrics) rows.push_back(row_of(common, reading));
  for (const auto& [metric, reason] : answer.absent)
    rows.push_back(absent_row(common, metric, reason));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].part = static_cast<std::int64_t>(i) + 1;
    rows[i].parts = static_cast<std::int64_t>(rows.size());
  }
  return rows;
}

}  // namespace plumbline
