#include "stats/hypothesis.h"

#include <algorithm>
#include <string>

#include "core/error.h"
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

bool is_exact(Method asked, bool by_itself, const char* test) {
  if (asked == Method::automatic) return by_itself;
  if (asked != Method::exact && asked != Method::asymptotic)
    throw Error(std::string(test) + ": the method is auto, exact or asymptotic");
  return asked == Method::exact;
}

}  // namespace plumbline
