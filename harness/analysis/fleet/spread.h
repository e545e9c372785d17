/// How far devices of one kind lie apart, from the devices themselves, and how heavy the tails are:
/// what an outlier is compared with.
///
/// Robust: a few outliers do not widen it. Pure numbers.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace plumbline {

/// Devices of a kind scatter as scale × Student's t with `df` degrees of freedom.
struct Spread {
  double scale = 0, df = 0;
};

/// For tail_df of spreads_of(): nearly those of the normal distribution.
inline constexpr double kNormalTails = 30;

/// One for each family. `values`: by family, the deviations of its devices from their kind's
/// median. `kinds`: medians taken from them. `tail_df`: of the tails (tail_df()).
///
/// A family's variance is its median absolute deviation, moderated over the families (stats/
/// moderation.h). With fewer than four families, the prior is what devices of a class were measured
/// to differ by (variance/noise_priors.h). A family with fewer than two values has scale NaN.
std::vector<Spread> spreads_of(const std::vector<std::vector<double>>& values, std::size_t kinds,
                               std::string_view device_kind, double tail_df);

/// Degrees of freedom of the Student's t that has the tails of these devices, from the ratio of the
/// 90th percentile to the median of |deviation / scale|: the 80th percentile of a bootstrap over
/// devices. Between those of noise_priors.h (with fewer than 30 devices, always those) and 30.
/// `sizes`: by device, |deviation / scale| of its families.
double tail_df(const std::vector<std::vector<double>>& sizes, std::string_view device_kind);

/// Standard deviation of normal values about 0 by their median size, with Croux & Rousseeuw's
/// (1992) factors for few values. NaN for fewer than two.
double robust_sd(std::span<const double> values);

}  // namespace plumbline
