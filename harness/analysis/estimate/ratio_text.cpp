#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/devices/device_table.h"

namespace plumbline {
namespace {

constexpr double kLargestPlain = 1e6;

bool is_plain(double ratio) { return ratio < kLargestPlain && ratio > 1 / kLargestPlain; }

/// Number of decimals that shows `digits` significant digits after rounding: 0.9996 is 1.00.
int decimals_of(double number, int digits) {
  const int decimals = digits - 1 - int(std::floor(std::log10(number) + 1e-9));
  const double rounded = std::round(number * std::pow(10, decimals)) / std::pow(10, decimals);
  return std::clamp(digits - 1 - int(std::floor(std::log10(rounded) + 1e-9)), 0, 6);
}

}  // namespace

std::string ratio_text(double ratio) {
  if (ratio == 0) return "×0.00";
  return is_plain(ratio) ? fmt::format("×{:.{}f}", ratio, decimals_of(ratio, 3))
                         : fmt::format("×{:.2e}", ratio);
}

std::string ratio_text(double ratio, std::optional<double> low, std::optional<double> high) {
  if (!low || !high || !is_plain(ratio) || !is_plain(*low) || !is_plain(*high))
    return ratio_text(ratio) +
           (low && high ? fmt::format(" [{:.3g}, {:.3g}]", *low, *high) : std::string());
  const double half = (*high - *low) / 2;
  // Two digits of a half width up to 3.5, else one, as in reports/units.h.
  const int of_interval = half > 0 ? -int(std::floor(std::log10(half / 3.55))) : 6;
  const int decimals = std::clamp(of_interval, decimals_of(ratio, 2), decimals_of(ratio, 4));
  return fmt::format("×{:.{}f} [{:.{}f}, {:.{}f}]", ratio, decimals, *low, decimals, *high,
                     decimals);
}

std::string ratio_range_text(double least, double greatest) {
  if (!is_plain(least) || !is_plain(greatest) || greatest >= 2 * least)
    return ratio_text(least) + " to " + ratio_text(greatest);
  const int decimals = decimals_of(least, 3);
  return fmt::format("×{:.{}f} to ×{:.{}f}", least, decimals, greatest, decimals);
}

}  // namespace plumbline
