/// Fisher's exact test of two counted proportions (Fisher 1934).
///
/// Pure numbers, no cases.
#pragma once

#include <cstddef>

namespace plumbline {

/// Two-sided p value of `seen_a` of `count_a` against `seen_b` of `count_b`: the sum over all
/// tables with the same margins that are at most as likely as this one. 1 if a side is empty.
/// Throws Error if more are seen than counted.
double fisher_exact(std::size_t seen_a, std::size_t count_a, std::size_t seen_b,
                    std::size_t count_b);

}  // namespace plumbline
