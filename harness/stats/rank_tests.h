/// Tests by ranks: of two lists (Mann & Whitney 1947) and of pairs (Wilcoxon 1945).
///
/// Pure numbers, no cases. Errors are thrown as Error. What is exact is so with ties as well: the
/// distribution is that of the midranks at hand over all ways to deal them out.
#pragma once

#include <cstddef>
#include <span>

#include "stats/hypothesis.h"

namespace plumbline {

/// Whether `automatic` is exact for lists of these sizes: up to 20 a side, and up to 400 on one
/// side where the other has at most 8.
bool is_exact_shift(std::size_t n_a, std::size_t n_b);
/// Whether `automatic` is exact for so many differences: up to 50.
bool is_exact_signed(std::size_t n);

struct MannWhitney {
  double u = 0;  // pairs with b above a, equal ones counted half
  double p_value = 1;
  Method method = Method::exact;
  bool has_ties = false;
};

/// Whether values of b tend to lie above those of a. Needs one value a side. Asymptotic: normal,
/// with the variance corrected for ties and half a pair taken off the distance. Lists all of whose
/// values are equal give p = 1. `exact` beyond about 10⁹ steps is an Error.
MannWhitney mann_whitney(std::span<const double> a, std::span<const double> b,
                         Alternative alternative, Method method = Method::automatic);

struct SignedRank {
  double positive = 0, negative = 0;  // sums of the ranks of |difference| by its sign
  double p_value = 1;
  Method method = Method::exact;
  std::size_t used = 0, zeros = 0;  // differences that are not 0, and those that are
  bool has_ties = false;
};

/// Whether differences lie symmetrically about 0. Zeros are left out before ranking (Wilcoxon's
/// rule, not Pratt's); no difference but zeros gives p = 1. Asymptotic as above. Needs one value.
/// `exact` is an Error beyond 1000 differences that are not 0.
SignedRank wilcoxon_signed_rank(std::span<const double> differences, Alternative alternative,
                                Method method = Method::automatic);

}  // namespace plumbline
