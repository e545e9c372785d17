#include "reports/sections/detail/conditions.h"

#include <cmath>

#include "analysis/estimate/estimate.h"
#include "reports/markup.h"
#include "reports/template.h"

namespace plumbline {
namespace {

/// Null if unknown.
PageData whole(double value) {
  return std::isfinite(value) ? PageData(std::lround(value)) : PageData();
}

bool is_known(const ResultRow& row) {
  return std::isfinite(row.temperature_c) || std::isfinite(row.power_w) || !row.throttle.empty() ||
         !row.block_clocks_hz.empty();
}

PageData clocks_data(const ResultRow& row) {
  PageData clocks = PageData::array();
  for (std::size_t i = 0; i < row.block_clocks_hz.size(); ++i)
    if (counts(row, i)) clocks.push_back(whole(row.block_clocks_hz[i] / 1e6));
  return clocks;
}

}  // namespace

std::string conditions_json(const CaseView& view, TextList& throttles) {
  PageData visits = PageData::array();
  bool is_any_known = false;
  for (const int side : {0, 1})
    for (const ResultRow* row : (side == 0 ? view.baseline : view.candidate).visits) {
      is_any_known = is_any_known || is_known(*row);
      visits.push_back({side, row->round, whole(row->temperature_c), whole(row->power_w),
                        throttles.number_of(row->throttle), clocks_data(*row)});
    }
  return is_any_known ? script_json(visits) : "null";
}

}  // namespace plumbline
