#include "stats/fisher.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace plumbline {
namespace {

double log_choose(std::size_t n, std::size_t k) {
  return std::lgamma(double(n) + 1) - std::lgamma(double(k) + 1) - std::lgamma(double(n - k) + 1);
}

}  // namespace

double fisher_exact(std::size_t seen_a, std::size_t count_a, std::size_t seen_b,
                    std::size_t count_b) {
  if (seen_a > count_a || seen_b > count_b)
    throw Error("fisher_exact: more were seen than there are");
  const std::size_t seen = seen_a + seen_b, all = count_a + count_b;
  const auto log_weight = [&](std::size_t in_a) {
    return log_choose(count_a, in_a) + log_choose(count_b, seen - in_a) - log_choose(all, seen);
  };
  const std::size_t first = seen > count_b ? seen - count_b : 0, last = std::min(seen, count_a);
  constexpr double kRounding = 1e-9;  // in the log weights of equally likely tables
  const double own = log_weight(seen_a) + kRounding;
  double sum = 0;
  for (std::size_t in_a = first; in_a <= last; ++in_a)
    if (const double weight = log_weight(in_a); weight <= own) sum += std::exp(weight);
  return std::min(1.0, sum);
}

}  // namespace plumbline
