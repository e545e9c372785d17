/// A row of a baseline: a case × metric of one accepted run, or a case of it without samples.
///
/// Of each visit it keeps the mean of its blocks' medians, how they scatter and their tail, so that
/// git can hold several runs; of the conditions the medians. A run's rows are reduced to it, and a
/// reader makes rows of it again, one a visit. Knows the columns, no file.
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
  std::int64_t run = 1;  // its number among the runs of the JSON, from 1
  std::string device;    // UUID, where it is not the run's
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

/// The rows of a case, as rows_by_case() gathers them, in the order of its metrics. What a case has
/// once (kernels, plan, cost, error) is in the first one only.
std::vector<BaselineRow> reduced(const CaseRows& found, const std::string& run_device);

/// A run as a baseline keeps it: one value a visit.
void reduce(Run& run);

/// A row for each visit, appended to `run`'s; one where there is none.
void expand(const BaselineRow& row, const std::string& suite, Run& run);

}  // namespace plumbline
