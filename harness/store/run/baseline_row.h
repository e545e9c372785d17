/// A row of a baseline: a case × metric of one accepted run, or a case without samples.
///
/// It keeps the mean of each visit's block medians, their scatter and tail, and medians of the
/// conditions: git can then hold several runs. Rows of a run are reduced to it; a reader expands it
/// to one row per visit. Knows the columns, no file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "core/run/run.h"
#include "store/csv/column.h"

namespace plumbline {

struct BaselineRow {
  std::string case_id, op, backend, revision;
  std::int64_t run = 1;  // index among the runs of the JSON, from 1
  std::string device;    // UUID, if it differs from the run's
  Status status = Status::ok;
  std::string reason, metric, unit;
  std::vector<double> visits;                   // means, in `unit`
  std::vector<std::int64_t> blocks, set_aside;  // of each visit
  std::vector<double> block_sd, tails;          // of each visit
  double step = 0;
  std::int64_t batch = 1;
  double clock_hz = kUnknown, temperature_c = kUnknown, power_w = kUnknown;
  std::string throttle;
  std::vector<std::string> flags;
  double flops = kUnknown, bytes = kUnknown;
  double error_rel_l2 = kUnknown, error_max_abs = kUnknown, error_max_ulp = kUnknown;
  double tolerance = kUnknown;
  std::string code, plan, kernels;
};

std::span<const CsvColumn<BaselineRow>> baseline_columns();

/// The rows of a case (from rows_by_case()), in the order of its metrics. Values that a case has
/// once (kernels, plan, cost, error) are in the first row only.
std::vector<BaselineRow> reduced(const CaseRows& found, const std::string& run_device);

/// Reduces a run for a baseline: one value per visit.
void reduce(Run& run);

/// Appends a row for each visit to `run`; one row if there is no visit.
void expand(const BaselineRow& row, const std::string& suite, Run& run);

}  // namespace plumbline
