#include "stats/student_t.h"

#include <algorithm>
#include <boost/math/distributions/non_central_t.hpp>
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
using NoncentralT = boost::math::non_central_t_distribution<double, Precision>;
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

/// P(T > t) with the mean `shift` standard errors away from 0.
double power_of(double shift, double df, double t) {
  return boost::math::cdf(boost::math::complement(NoncentralT(df, shift), t));
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

PairedLoss paired_loss(std::span<const double> differences, double confidence) {
  require_finite(differences, 2, "paired differences");
  PairedLoss loss{mean_interval(differences, confidence)};
  const auto n = static_cast<double>(differences.size());
  const double error = std::sqrt(variance(differences) / n), center = loss.interval.center;
  const auto [least, most] = std::ranges::minmax(differences);
  if (least == most)
    loss.p = center < 0 ? 0 : 1;
  else
    loss.p = student_t_cdf(center / error, n - 1);
  return loss;
}

double smallest_visible_loss(double sd, std::size_t pairs, double level, double power) {
  if (!(sd >= 0 && std::isfinite(sd)) || pairs < 2 || !(level > 0 && level < 0.5) ||
      !(power > level && power < 1))
    throw Error("smallest visible loss: found sd " + std::to_string(sd) + ", " +
                std::to_string(pairs) + " pairs, level " + std::to_string(level) + ", power " +
                std::to_string(power) +
                "; allowed: sd from 0, two pairs or more, a level below 0.5, a power above it");
  const double n = static_cast<double>(pairs), df = n - 1;
  const double t = student_t_quantile(1 - level, df);
  // Power rises with the shift: bisection to the precision of a double.
  double low = 0, high = 1;
  while (power_of(high, df, t) < power) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (power_of(middle, df, t) < power ? low : high) = middle;
  }
  return high * sd / std::sqrt(n);
}

}  // namespace plumbline
