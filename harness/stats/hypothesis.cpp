#include "stats/hypothesis.h"

#include <algorithm>

#include "stats/student_t.h"

namespace plumbline {

double p_value(const Tails& tails, Alternative alternative) {
  if (alternative == Alternative::less) return tails.less;
  if (alternative == Alternative::greater) return tails.greater;
  return std::min(1.0, 2 * std::min(tails.less, tails.greater));
}

Tails normal_tails(double distance, double sd, double correction) {
  if (sd == 0) return {};
  return {normal_cdf((distance + correction) / sd), normal_cdf((correction - distance) / sd)};
}

}  // namespace plumbline
