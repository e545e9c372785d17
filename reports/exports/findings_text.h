/// A finding in a few words, for formats without a page.
#pragma once

#include <string>

#include "analysis/comparison.h"

namespace plumbline {

/// "1.00 ms -> 1.05 ms, +5.0 % [+4.1, +5.9], 12 pairs": what there is of it.
std::string numbers_of(const Finding& finding);

/// "cause 2: gemm libtorch: 12 of 14 cases with …": "" where it has no cause.
std::string cause_of(const Comparison& comparison, const Finding& finding);

/// SLOWER and BROKEN: what a gate stops at.
constexpr bool is_regression(Verdict verdict) {
  return verdict == Verdict::slower || verdict == Verdict::broken;
}

/// MISSING and NOT_JUDGED: what leaves a gate without an answer.
constexpr bool is_unanswered(Verdict verdict) {
  return verdict == Verdict::missing || verdict == Verdict::not_judged;
}

}  // namespace plumbline
