/// Tails of Σ ± sizes, every sign as likely as the other, for more sizes than can be counted out.
///
/// Lugannani & Rice 1980 (Daniels 1987, "Tail probability approximations"). Pure numbers.
#pragma once

#include <span>

#include "stats/hypothesis.h"

namespace plumbline {

struct SignSum {
  Tails tails;
  double relative_error = 0;  // size of the first term left out
};

/// P(Σ ± sizes ≤ sum) and P(Σ ± sizes ≥ sum). Sizes above 0, at least one; |sum| ≤ Σ sizes.
SignSum sign_sum_tails(std::span<const double> sizes, double sum);

}  // namespace plumbline
