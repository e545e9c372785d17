#include "stats/student_t.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "core/error.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

// Results need 1e-9: long double inside Boost would only cost time.
using Precision = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using StudentT = boost::math::students_t_distribution<double, Precision>;
using Normal = boost::math::normal_distribution<double, Precision>;

StudentT distribution(double df) {
  if (!(df > 0))
    throw Error("Student's t: " + std::to_string(df) + " degrees of freedom, must be above 0");
  return StudentT(df);
}

void require_probability(double probability, const char* what) {
  if (!(probability > 0 && probability < 1))
    throw Error(std::string(what) + " " + std::to_string(probability) + " is outside (0, 1)");
}

void require_number(double t) {
  if (std::isnan(t)) throw Error("distribution function: the statistic is not a number");
}

}  // namespace

double student_t_cdf(double t, double df) {
  const StudentT known = distribution(df);
  require_number(t);
  if (std::isinf(t)) return t > 0 ? 1 : 0;
  return boost::math::cdf(known, t);
}

double student_t_two_sided_p(double t, double df) {
  return std::min(1.0, 2 * student_t_cdf(-std::abs(t), df));
}

double student_t_quantile(double probability, double df) {
  require_probability(probability, "quantile of Student's t: probability");
  return boost::math::quantile(distribution(df), probability);
}

double normal_quantile(double probability) {
  require_probability(probability, "quantile of the normal distribution: probability");
  return boost::math::quantile(Normal(), probability);
}

double normal_cdf(double z) {
  require_number(z);
  return std::erfc(-z * std::numbers::sqrt2 / 2) / 2;
}

Interval mean_interval(std::span<const double> values, double confidence) {
  require_finite(values, 2, "interval of a mean");
  require_probability(confidence, "interval of a mean: confidence");
  const auto n = static_cast<double>(values.size());
  const double center = mean(values);
  const double half =
      student_t_quantile(0.5 + confidence / 2, n - 1) * std::sqrt(variance(values) / n);
  return {center, center - half, center + half};
}

}  // namespace plumbline
