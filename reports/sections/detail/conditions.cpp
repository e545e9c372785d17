#include "reports/sections/detail/conditions.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/estimate/estimate.h"

namespace plumbline {
namespace {

std::string number_json(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "null";
}

bool is_known(const ResultRow& row) {
  return std::isfinite(row.temperature_c) || std::isfinite(row.power_w) || !row.throttle.empty() ||
         !row.block_clocks_hz.empty();
}

std::string clocks_json(const ResultRow& row) {
  std::string json = "[";
  for (std::size_t i = 0; i < row.block_clocks_hz.size(); ++i)
    if (counts(row, i))
      json += (json.size() > 1 ? "," : "") + number_json(row.block_clocks_hz[i] / 1e6, 0);
  return json + "]";
}

}  // namespace

std::string conditions_json(const CaseView& view, TextList& throttles) {
  std::string json = "[";
  bool is_any_known = false;
  for (const int side : {0, 1})
    for (const ResultRow* row : (side == 0 ? view.baseline : view.candidate).visits) {
      is_any_known = is_any_known || is_known(*row);
      json += fmt::format("{}[{},{},{},{},{},{}]", json.size() > 1 ? "," : "", side, row->round,
                          number_json(row->temperature_c, 0), number_json(row->power_w, 0),
                          throttles.number_of(row->throttle), clocks_json(*row));
    }
  return is_any_known ? json + "]" : "null";
}

}  // namespace plumbline
