#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/devices/device_table.h"

namespace plumbline {

std::string ratio_text(double ratio) {
  constexpr double kLargestPlain = 1e6;
  if (ratio >= kLargestPlain || (ratio > 0 && ratio < 1 / kLargestPlain))
    return fmt::format("×{:.2e}", ratio);
  const int digits = ratio > 0 ? std::max(0, 2 - int(std::floor(std::log10(ratio) + 1e-9))) : 2;
  return fmt::format("×{:.{}f}", ratio, std::min(digits, 6));
}

}  // namespace plumbline
