#include "schedule/rows.h"

#include <algorithm>

#include "core/run/metric.h"

namespace plumbline {
namespace {

constexpr const char* kNoReason = "the worker gave no reason";

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

/// Hash of the suite's code that computes the case: contents and names of `files`, wherever they
/// are, and what the suite declares about the code. "" without files: the suite has no code, or the
/// worker is too old to report files.
std::string code_hash(const Case& c, std::span<const FileRef> files) {
  if (files.empty()) return "";
  std::vector<std::string> lines;
  for (const FileRef& file : files)
    lines.push_back(file.path.substr(file.path.rfind('/') + 1) + '=' + file.hash);
  std::ranges::sort(lines);  // by name: folders differ between sides
  std::string text = c.declaration ? implementation_text(*c.declaration) : "";
  for (const std::string& line : lines) text += '\n' + line;
  return stable_hash_text(text);
}

ResultRow row_of(const ResultRow& common, const MeasuredMetric& measured) {
  ResultRow row = common;
  static_cast<MeasuredMetric&>(row) = measured;
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
  for (const MeasuredMetric& metric : answer.metrics) {
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
  ResultRow common = unmeasured_row(c, answer.status, "");
  static_cast<VisitOutcome&>(common) = answer;
  if (answer.reason.empty() && answer.status != Status::ok) common.reason = kNoReason;
  common.code = code_hash(c, answer.files);

  std::vector<ResultRow> rows;
  if (!has_samples(answer.status)) rows.push_back(common);
  for (const MeasuredMetric& reading : answer.metrics) rows.push_back(row_of(common, reading));
  for (const auto& [metric, reason] : answer.absent)
    rows.push_back(absent_row(common, metric, reason));
  number_rows(rows);
  return rows;
}

}  // namespace plumbline
