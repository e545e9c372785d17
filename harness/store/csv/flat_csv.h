/// Runs and comparisons as flat CSV for spreadsheets and data frames: a row per case × metric, and
/// a column for each case parameter, `param.m`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analysis/compare/comparison.h"
#include "core/run/run.h"
#include "store/csv/column.h"

namespace plumbline {

/// A column that is written and never read.
template <class Row>
struct FlatColumn {
  std::string_view name;
  void (*print)(const Row& row, std::string& out);
  ColumnKind kind = ColumnKind::text;
};

/// The columns of a comparison, without those of parameters.
std::span<const FlatColumn<Finding>> finding_columns();

/// Estimates with their intervals over visits, as in summary.csv.
std::string flat_csv(const Run& run);

/// Verdicts, estimates of both sides, and changes as fractions.
std::string flat_csv(const Comparison& comparison);

}  // namespace plumbline
