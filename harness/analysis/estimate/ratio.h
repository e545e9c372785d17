/// How many times larger one estimate is than another, with its interval: for comparing devices,
/// variants and backends. Nothing is judged here; compare.h judges changes between runs.
#pragma once

#include <optional>

#include "analysis/estimate/estimate.h"

namespace plumbline {

/// The interval of `value` is over visits; nothing if a side has fewer than two visits.
struct Ratio {
  double value = 1;
  std::optional<double> low, high;
};

/// of / to, with the interval of Welch (1947) on logarithms, since the visits of both sides may
/// vary differently. `confidence` in (0, 1). Nothing if an estimate is not above 0.
std::optional<Ratio> ratio_of(const Estimate& of, const Estimate& to, double confidence);

}  // namespace plumbline
