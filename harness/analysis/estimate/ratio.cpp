#include "analysis/estimate/ratio.h"

#include <cmath>
#include <utility>

#include "stats/student_t.h"

namespace plumbline {

std::optional<Ratio> ratio_of(const Estimate& of, const Estimate& to, double confidence) {
  if (!(of.value > 0) || !(to.value > 0)) return std::nullopt;
  const double log_ratio = std::log(of.value / to.value);
  Ratio ratio{std::exp(log_ratio), {}, {}};
  if (of.logs.size() < 2 || to.logs.size() < 2) return ratio;
  const auto part = [](const Estimate& one) {
    const auto n = static_cast<double>(one.logs.size());
    return std::pair(one.variance / n, n - 1);
  };
  const auto [v_a, df_a] = part(of);
  const auto [v_b, df_b] = part(to);
  const double variance = v_a + v_b;
  const double df =
      variance > 0 ? variance * variance / (v_a * v_a / df_a + v_b * v_b / df_b) : df_a + df_b;
  const double half = student_t_quantile(0.5 + confidence / 2, df) * std::sqrt(variance);
  ratio.low = std::exp(log_ratio - half);
  ratio.high = std::exp(log_ratio + half);
  return ratio;
}

}  // namespace plumbline
