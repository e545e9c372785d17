/// Permutation test of the mean of pairs: if nothing is going on, each difference could as well
/// have had the other sign (Fisher 1935, section 21).
///
/// Pure numbers, no cases. Errors are thrown as Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stats/hypothesis.h"

namespace plumbline {

struct SignFlip {
  double mean = 0;
  double p_value = 1;
  Method method = Method::exact;
  /// How far p may be off: of random signs its standard error; of the asymptotic one the size of
  /// the term that is left out, p times |λ₄/8 − 5λ₃²/24| at the saddlepoint. 0 of the exact one.
  double error = 0;
};

/// Whether the differences lie symmetrically about 0, by their mean. `automatic`: exact over all
/// 2ⁿ signs up to 40 differences that are not 0 (both halves' sums, met in the middle), else
/// `resamples` random ones, with p = (1 + those as far out) / (1 + all), so at least
/// 1 / (1 + resamples); where these would be more than 2·10⁸ signs, asymptotic: the saddlepoint
/// approximation of Lugannani & Rice (1980), whose relative error falls with 1/n and holds far into
/// the tails. Sums that differ by less than 1e-12 of Σ|difference| count as equal. Only zeros give
/// p = 1. Needs one value; `exact` beyond 40 is an Error.
SignFlip sign_flip(std::span<const double> differences, Alternative alternative, Method method,
                   std::size_t resamples, std::uint64_t seed);

}  // namespace plumbline
