/// How many times as large one estimate is as another, with its interval: devices, variants and
/// backends set beside each other. Nothing is judged here; a change between runs is compare.h's.
#pragma once

#include <optional>

#include "analysis/estimate/estimate.h"

namespace plumbline {

/// The interval of `value` is over visits; none where a side has fewer than two of them.
struct Ratio {
  double value = 1;
  std::optional<double> low, high;
};

/// of / to, with the interval of Welch (1947), since the visits of two sides need not vary alike,
/// on their logarithms; `confidence` in (0, 1). Nothing where an estimate is not above 0.
std::optional<Ratio> ratio_of(const Estimate& of, const Estimate& to, double confidence);

}  // namespace plumbline
