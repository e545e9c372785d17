#include "stats/proportion.h"

#include <boost/math/distributions/binomial.hpp>
#include <string>

#include "core/error.h"

namespace plumbline {

ProportionBounds proportion_bounds(std::size_t seen, std::size_t count, double confidence) {
  if (seen > count)
    throw Error("bounds of a proportion: " + std::to_string(seen) + " of " + std::to_string(count));
  if (!(confidence > 0 && confidence < 1))
    throw Error("bounds of a proportion: a confidence of " + std::to_string(confidence) +
                ", allowed is (0, 1)");
  if (count == 0) return {};
  using Binomial = boost::math::binomial_distribution<>;
  const auto n = static_cast<double>(count), k = static_cast<double>(seen);
  ProportionBounds bounds;
  if (seen > 0) bounds.low = Binomial::find_lower_bound_on_p(n, k, 1 - confidence);
  if (seen < count) bounds.high = Binomial::find_upper_bound_on_p(n, k, 1 - confidence);
  return bounds;
}

}  // namespace plumbline
