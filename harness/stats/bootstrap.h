/// Bootstrap intervals: percentile, and bias-corrected and accelerated (BCa).
///
/// Efron & Tibshirani 1993, sections 13.3 and 14.3; acceleration for two lists from both jackknifes
/// (section 22.5). Seeded, and the same on every machine. Pure numbers, no cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stats/student_t.h"

namespace plumbline {

enum class Center { mean, median };
enum class BootstrapKind { percentile, bca };

struct BootstrapPlan {
  Center of = Center::mean;
  BootstrapKind kind = BootstrapKind::bca;
  double confidence = 0.95;
  std::size_t resamples = 9999;
  std::uint64_t seed = 1;
};

struct Bootstrap {
  Interval interval;  // around the estimate of the data
  double standard_error = 0;
};

/// Of the mean or median of the values; needs two. Values that are all equal give an interval of
/// no width; BCa is an Error where all resamples lie on one side of the estimate.
Bootstrap bootstrap(std::span<const double> values, const BootstrapPlan& plan);

/// Of the difference, b − a, between those of two lists, each resampled on its own.
Bootstrap bootstrap_shift(std::span<const double> a, std::span<const double> b,
                          const BootstrapPlan& plan);

}  // namespace plumbline
