#include "reports/sections/detail/roofline.h"

#include <fmt/format.h>

#include <cmath>

namespace plumbline {

std::string roofline_json(const CaseView& view) {
  const Achieved& achieved = view.achieved;
  const double bandwidth = achieved.bytes_per_s / achieved.bytes_share;
  const double intensity = view.flops / view.bytes;
  if (!(intensity > 0) || !(achieved.flops_per_s > 0) || !(bandwidth > 0) ||
      !std::isfinite(intensity) || !std::isfinite(bandwidth))
    return "null";
  return fmt::format(
      "[{:.4g},{:.4g},{},{:.4g}]", intensity, achieved.flops_per_s,
      std::isfinite(achieved.flops_peak) ? fmt::format("{:.4g}", achieved.flops_peak) : "null",
      bandwidth);
}

}  // namespace plumbline
