#include "analysis/fleet/spread.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/variance/noise_priors.h"
#include "core/unknown.h"
#include "stats/descriptive.h"
#include "stats/moderation.h"
#include "stats/random_draws.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

constexpr double kEfficiency = 0.37;  // of the median absolute deviation, against the variance
constexpr std::size_t kLeastFamilies = 4, kLeastOfTails = 30;
constexpr std::size_t kResamples = 200, kMostResampled = 1000;
constexpr double kMostDf = 30, kLeastScale = 1e-5;

/// Croux & Rousseeuw 1992, from two values on.
constexpr std::array kFewValues{1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107};

/// Quantile of |T|.
double size_quantile(double probability, double df) {
  return student_t_quantile((1 + probability) / 2, df);
}

/// The 90th percentile over the median of |T|, which falls from 4 to 30 degrees of freedom.
double df_with_ratio(double ratio, double least) {
  double low = least, high = kMostDf;
  const auto ratio_at = [](double df) { return size_quantile(0.9, df) / size_quantile(0.5, df); };
  if (ratio >= ratio_at(low)) return low;
  if (ratio <= ratio_at(high)) return high;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (ratio_at(middle) > ratio ? low : high) = middle;
  }
  return low;
}

double at_share(std::vector<double>& values, double share) {
  const auto place = values.begin() + std::ptrdiff_t(share * double(values.size() - 1));
  std::ranges::nth_element(values, place);
  return *place;
}

/// Variance and degrees of freedom that all families of a class share.
VariancePrior prior_of(std::span<const double> variances, std::span<const double> dfs,
                       std::string_view device_kind) {
  const NoisePrior& assumed = noise_prior(device_kind, Sameness::other_device);
  const VariancePrior table{assumed.run_df, assumed.run_sd * assumed.run_sd};
  const bool has_scatter = std::ranges::any_of(variances, [](double v) { return v > 0; });
  if (variances.size() < kLeastFamilies || !has_scatter) return table;
  const VariancePrior fitted = fit_variance_prior(variances, dfs);
  return fitted.df > 0 && fitted.variance > 0 ? fitted : table;
}

}  // namespace

double robust_sd(std::span<const double> values) {
  if (values.size() < 2) return kUnknown;
  std::vector<double> sizes;
  for (const double value : values) sizes.push_back(std::abs(value));
  const std::size_t few = values.size() - 2;
  const double factor = few < kFewValues.size()
                            ? kFewValues[few]
                            : double(values.size()) / (double(values.size()) - 0.8);
  return factor * kSdPerMad * median(sizes);
}

std::vector<Spread> spreads_of(const std::vector<std::vector<double>>& values, std::size_t kinds,
                               std::string_view device_kind, double tail_df) {
  std::vector<double> variances, dfs;
  std::vector<Spread> spreads(values.size());
  std::vector<std::size_t> of;  // family of each variance
  for (std::size_t family = 0; family < values.size(); ++family) {
    spreads[family].scale = kUnknown;
    const double count = double(values[family].size());
    if (count < double(kinds) + 1) continue;
    variances.push_back(std::pow(robust_sd(values[family]), 2));
    dfs.push_back(kEfficiency * (count - double(kinds)));
    of.push_back(family);
  }
  if (of.empty()) return spreads;
  const VariancePrior prior = prior_of(variances, dfs, device_kind);
  for (std::size_t i = 0; i < of.size(); ++i) {
    Spread& spread = spreads[of[i]];
    // Families share what moves a whole device: they never know more than the devices are.
    const double most = double(values[of[i]].size()) - double(kinds);
    spread.df = std::min({tail_df, std::max(most, 1.0), prior.df + dfs[i]});
    const double sd = std::sqrt(moderated_variance(variances[i], dfs[i], prior));
    spread.scale =
        std::max(kLeastScale, sd / kSdPerMad / size_quantile(0.5, std::max(spread.df, 1.0)));
  }
  return spreads;
}

double tail_df(const std::vector<std::vector<double>>& sizes, std::string_view device_kind) {
  const double least = noise_prior(device_kind, Sameness::other_device).run_df;
  if (sizes.size() < kLeastOfTails) return least;
  const std::size_t count = std::min(sizes.size(), kMostResampled);
  RandomDraws draws(1);
  std::vector<double> ratios, drawn;
  for (std::size_t i = 0; i < kResamples; ++i) {
    drawn.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const std::vector<double>& device = sizes[draws.below(sizes.size())];
      drawn.insert(drawn.end(), device.begin(), device.end());
    }
    if (drawn.size() < kLeastOfTails) return least;
    const double middle = at_share(drawn, 0.5);
    if (!(middle > 0)) return least;
    ratios.push_back(at_share(drawn, 0.9) / middle);
  }
  return df_with_ratio(quantile(ratios, 0.8), least);
}

}  // namespace plumbline
