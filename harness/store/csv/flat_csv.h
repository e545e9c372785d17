/// Runs and comparisons as flat CSV for spreadsheets and data frames: a row per case × metric, and
/// a column for each case parameter, `param.m`.
#pragma once

#include <string>

#include "analysis/compare/comparison.h"
#include "core/run/run.h"

namespace plumbline {

/// Estimates with their intervals over visits, as in summary.csv.
std::string flat_csv(const Run& run);

/// Verdicts, estimates of both sides, and changes as fractions.
std::string flat_csv(const Comparison& comparison);

}  // namespace plumbline
