#include "reports/sections/detail/roofline.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/markup.h"

namespace plumbline {

std::string roofline_json(const CaseView& view) {
  const Achieved& achieved = view.achieved;
  const double bandwidth = achieved.bytes_per_s / achieved.bytes_share;
  const double counted = counted_bytes(view);
  const bool is_counted = counted > 0;
  const double intensity = view.flops / (is_counted ? counted : view.bytes);
  if (!(intensity > 0) || !(achieved.flops_per_s > 0) || !(bandwidth > 0) ||
      !std::isfinite(intensity) || !std::isfinite(bandwidth))
    return "null";
  auto roof =
      nlohmann::json::array({intensity, achieved.flops_per_s, achieved.flops_peak, bandwidth});
  if (is_counted) roof.push_back(true);  // else nothing: pages have ten thousand cases
  return script_json(roof);
}

}  // namespace plumbline
