#include "store/run/baseline_row.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "analysis/estimate/estimate.h"
#include "analysis/estimate/tails.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

using B = BaselineRow;

constexpr CsvColumn<B> kColumns[] = {
    csv_column<B, &B::case_id>("case", kRequired, "case id"),
    csv_column<B, &B::metric>("metric", kRequired, "empty for a case without samples"),
    csv_column<B, &B::run, FieldForm::from_one>(
        "run", kRequired, "number of the run, as the JSON lists them, the oldest first"),
    csv_column<B, &B::unit>("unit", kRequired, "of the metric"),
    csv_column<B, &B::visits>("visits", kRequired,
                              "of each visit, the mean of its blocks' medians, in `unit`"),
    csv_column<B, &B::block_sd>("block_sd", kOptional,
                                "of each visit, what its blocks scatter by, a fraction"),
    csv_column<B, &B::blocks>("blocks", kRequired, "of each visit, those that count"),
    csv_column<B, &B::set_aside>("set_aside", kOptional,
                                 "of each visit, blocks that do not; empty where all count"),
    csv_column<B, &B::tails>("tails", kOptional, "of each visit, log(p95 / median) of its blocks"),
    csv_column<B, &B::step>("step", kOptional, "smallest one between two blocks, in `unit`"),
    csv_column<B, &B::batch, FieldForm::from_one>("batch", kOptional, "launches per sample"),
    csv_column<B, &B::clock_hz>("clock", kOptional, "SM clock in Hz, median over blocks"),
    csv_column<B, &B::temperature_c>("temperature", kOptional, "in °C, median over visits"),
    csv_column<B, &B::power_w>("power", kOptional, "in W, median over visits"),
    csv_column<B, &B::throttle>("throttle", kOptional, "throttle reasons of any visit"),
    csv_column<B, &B::flags, FieldForm::names>("flags", kOptional, "of any visit"),
    csv_column<B, &B::status>("status", kRequired, "over all rounds"),
    csv_column<B, &B::reason>("reason", kOptional, "why it is not OK"),
    csv_column<B, &B::op>("op", kRequired, "what is computed"),
    csv_column<B, &B::backend>("backend", kRequired, "who computes it"),
    csv_column<B, &B::revision>("revision", kRequired, "of the problem"),
    csv_column<B, &B::device>("device", kOptional, "UUID of the device, where the run has several"),
    csv_column<B, &B::flops>("flops", kOptional, "of one launch"),
    csv_column<B, &B::bytes>("bytes", kOptional, "that one launch must move"),
    csv_column<B, &B::error_rel_l2>("error_rel_l2", kOptional,
                                    "as in results.csv, as all that follow: once a case"),
    csv_column<B, &B::error_max_abs>("error_max_abs", kOptional, "the same"),
    csv_column<B, &B::error_max_ulp>("error_max_ulp", kOptional, "the same"),
    csv_column<B, &B::tolerance>("tolerance", kOptional, "of error_rel_l2"),
    csv_column<B, &B::code>("code", kOptional, "hash of the suite's code that ran"),
    csv_column<B, &B::plan>("plan", kOptional, "of the library that ran"),
    csv_column<B, &B::kernels>("kernels", kOptional,
                               "of one launch; of the newest run of a case alone"),
};

constexpr int kTimeDigits = 7;    // the rounding is far below any judged difference
constexpr int kSpreadDigits = 3;  // for spreads
constexpr int kShownDigits = 4;   // clocks, costs, errors: shown, never judged

double rounded(double number, int digits) {
  if (!std::isfinite(number)) return number;
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof text, number, std::chars_format::scientific, digits - 1);
  parse_number(std::string_view(text, end.ptr), number);
  return number;
}

double median_or_unknown(std::vector<double> values, int digits) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values.empty() ? kUnknown : rounded(median(values), digits);
}

void add_visit(const ResultRow& row, BaselineRow& out) {
  const VisitValue visit = visit_value(row);
  out.visits.push_back(rounded(visit.mean, kTimeDigits));
  out.blocks.push_back(std::int64_t(visit.blocks));
  out.set_aside.push_back(std::int64_t(visit.set_aside));
  out.block_sd.push_back(rounded(std::sqrt(visit.block_variance), kSpreadDigits));
  out.tails.push_back(rounded(tail_of(row).value_or(kUnknown), kSpreadDigits));
  if (visit.step > 0 && (out.step == 0 || visit.step < out.step))
    out.step = rounded(visit.step, kSpreadDigits);
}

void add_conditions(const MetricRows& metric, BaselineRow& out) {
  std::vector<double> clocks, temperatures, powers;
  for (const ResultRow* row : metric.rows) {
    for (std::size_t i = 0; i < row->block_clocks_hz.size(); ++i)
      if (counts(*row, i)) clocks.push_back(row->block_clocks_hz[i]);
    temperatures.push_back(row->temperature_c);
    powers.push_back(row->power_w);
    if (!row->throttle.empty() && out.throttle.find(row->throttle) == std::string::npos)
      out.throttle += (out.throttle.empty() ? "" : "+") + row->throttle;
  }
  out.clock_hz = median_or_unknown(std::move(clocks), kShownDigits);
  out.temperature_c = median_or_unknown(std::move(temperatures), kShownDigits);
  out.power_w = median_or_unknown(std::move(powers), kShownDigits);
}

BaselineRow identity_of(const ResultRow& row, const std::string& run_device) {
  BaselineRow made;
  made.case_id = row.case_id;
  made.op = row.op;
  made.backend = row.backend;
  made.revision = row.revision;
  if (row.device != run_device) made.device = row.device;
  made.status = row.status;
  made.reason = row.reason;
  return made;
}

/// Values of the case, not of a metric: the first that a visit recorded.
void add_of_case(const std::vector<const ResultRow*>& rows, BaselineRow& out) {
  for (const ResultRow* row : rows) {
    if (out.kernels.empty()) out.kernels = row->kernels;
    if (out.plan.empty()) out.plan = row->plan;
    if (out.code.empty()) out.code = row->code;
    const auto take = [&](double BaselineRow::*to, double ResultRow::*from) {
      if (!std::isfinite(out.*to)) out.*to = rounded(row->*from, kShownDigits);
    };
    take(&BaselineRow::error_rel_l2, &ResultRow::error_rel_l2);
    take(&BaselineRow::error_max_abs, &ResultRow::error_max_abs);
    take(&BaselineRow::error_max_ulp, &ResultRow::error_max_ulp);
    if (!std::isfinite(out.tolerance)) out.tolerance = row->tolerance;
  }
}

BaselineRow of_metric(const MetricRows& metric, const std::string& run_device) {
  BaselineRow made = identity_of(*metric.rows.front(), run_device);
  made.metric = metric.metric;
  made.unit = metric.unit;
  made.batch = metric.rows.front()->batch;
  made.flops = metric.rows.front()->flops;
  made.bytes = metric.rows.front()->bytes;
  for (const ResultRow* row : metric.rows) add_visit(*row, made);
  if (std::ranges::all_of(made.set_aside, [](auto n) { return n == 0; })) made.set_aside.clear();
  for (std::vector<double>* spreads : {&made.block_sd, &made.tails})
    if (std::ranges::none_of(*spreads, [](double s) { return std::isfinite(s); })) spreads->clear();
  add_conditions(metric, made);
  add_flags(metric.rows, made.flags);
  return made;
}

double at(const std::vector<double>& list, std::size_t i) {
  return i < list.size() ? list[i] : kUnknown;
}

ResultRow of_visit(const BaselineRow& row, std::size_t visit) {
  ResultRow made;
  const double mean = row.visits[visit];
  made.samples.add_block(std::span(&mean, 1));
  made.reduced = std::make_shared<const ReducedBlocks>(ReducedBlocks{
      .count = visit < row.blocks.size() ? std::size_t(row.blocks[visit]) : 1,
      .set_aside = visit < row.set_aside.size() ? std::size_t(row.set_aside[visit]) : 0,
      .sd = at(row.block_sd, visit),
      .tail = at(row.tails, visit),
      .step = row.step});
  made.round = std::int64_t(visit);
  if (std::isfinite(row.clock_hz)) made.block_clocks_hz = {row.clock_hz};
  return made;
}

void set_common(const BaselineRow& row, const std::string& suite, const std::string& run_device,
                ResultRow& made) {
  made.suite = suite;
  made.case_id = row.case_id;
  made.op = row.op;
  made.backend = row.backend;
  made.revision = row.revision;
  made.device = row.device.empty() ? run_device : row.device;
  made.status = row.status;
  made.reason = row.reason;
  made.metric = row.metric;
  made.unit = row.unit;
  made.batch = row.batch;
  made.temperature_c = row.temperature_c;
  made.power_w = row.power_w;
  made.throttle = row.throttle;
  made.flags = row.flags;
}

void set_of_case(const BaselineRow& row, ResultRow& made) {
  made.flops = row.flops;
  made.bytes = row.bytes;
  made.error_rel_l2 = row.error_rel_l2;
  made.error_max_abs = row.error_max_abs;
  made.error_max_ulp = row.error_max_ulp;
  made.tolerance = row.tolerance;
  made.code = row.code;
  made.plan = row.plan;
  made.kernels = row.kernels;
}

}  // namespace

std::span<const CsvColumn<BaselineRow>> baseline_columns() { return kColumns; }

std::vector<BaselineRow> reduced(const CaseRows& found, const std::string& run_device) {
  std::vector<BaselineRow> rows;
  for (const MetricRows& metric : found.metrics) rows.push_back(of_metric(metric, run_device));
  for (const ResultRow* row : found.rows) {
    const bool has_row = std::ranges::any_of(rows, [&](const BaselineRow& known) {
      return known.metric == row->metric && known.status == row->status;
    });
    const bool has_samples_too = found.measured() && has_samples(row->status);
    if (has_row || has_samples_too) continue;
    rows.push_back(identity_of(*row, run_device));
    rows.back().metric = row->metric;
    rows.back().unit = row->unit;
  }
  if (!rows.empty()) add_of_case(found.rows, rows.front());
  return rows;
}

void reduce(Run& run) {
  Run small{run.info, {}, {}, {}};
  for (const CaseRows& found : rows_by_case(run))
    for (const BaselineRow& row : reduced(found, run.info.environment.device_uuid()))
      expand(row, std::string(found.suite), small);
  run.rows = std::move(small.rows);
}

void expand(const BaselineRow& row, const std::string& suite, Run& run) {
  const std::string& device = run.info.environment.device_uuid();
  const std::size_t visits = std::max<std::size_t>(1, row.visits.size());
  for (std::size_t i = 0; i < visits; ++i) {
    ResultRow made = row.visits.empty() ? ResultRow{} : of_visit(row, i);
    set_common(row, suite, device, made);
    set_of_case(row, made);
    run.rows.push_back(std::move(made));
  }
}

}  // namespace plumbline
