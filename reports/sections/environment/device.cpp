#include "reports/sections/environment/device.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/estimate/achieved.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr std::string_view kUncertainty = "_uncertainty";

/// The unit at the end of a calibration's name.
std::string_view unit_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kEnds{
      {{"flops_per_s", "FLOP/s"}, {"bytes_per_s", "B/s"}, {"_hz", "Hz"}, {"_s", "s"}}};
  for (const auto& [end, unit] : kEnds)
    if (name.ends_with(end)) return unit;
  return "";
}

std::string value_text(const RunInfo& info, const std::string& name) {
  const Calibrated found = calibrated(info, name);
  if (std::isnan(found.value)) return "–";
  if (!(found.uncertainty > 0)) return quantity_text(found.value, unit_of(name));
  return quantity_text(found.value, unit_of(name), found.uncertainty) + " ± " +
         share_text(found.uncertainty / std::abs(found.value));
}

}  // namespace

PageData calibration_data(const RunInfo& candidate, const RunInfo* baseline) {
  std::set<std::string> names;
  for (const RunInfo* info : {&candidate, baseline})
    if (info)
      for (const auto& [name, value] : info->calibration)
        if (!name.ends_with(kUncertainty)) names.insert(name);
  if (names.empty()) return nullptr;
  PageData rows = PageData::array();
  for (const std::string& name : names)
    rows.push_back({{"name", name},
                    {"baseline", baseline ? value_text(*baseline, name) : ""},
                    {"candidate", value_text(candidate, name)}});
  return {{"rows", std::move(rows)}};
}

PageData drift_data(const RunInfo& info) {
  const auto percent = [](double drift) { return signed_text(100 * drift, 2) + "\u00A0%"; };
  PageData rows = PageData::array();
  double largest = 0;
  for (const WorkerRecord& worker : info.workers)
    for (const auto& [name, before] : worker.sentinel_before) {
      const std::string_view unit = unit_of(name);
      const auto found = worker.sentinel_after.find(name);
      const bool is_whole = found != worker.sentinel_after.end() && before > 0;
      const double drift = is_whole ? found->second / before - 1 : kUnknown;
      const bool is_work = unit == "s";  // power and temperature rise with any work
      if (is_work && std::abs(drift) > std::abs(largest)) largest = drift;
      rows.push_back({{"worker", worker.name},
                      {"round", number_text(double(worker.round), 0)},
                      {"started", worker.started_at},
                      {"what", name},
                      {"before", quantity_text(before, unit)},
                      {"after", is_whole ? quantity_text(found->second, unit) : "–"},
                      {"drift", is_whole ? percent(drift) : "–"}});
    }
  if (rows.empty()) return nullptr;
  return {{"largest", percent(largest)}, {"rows", std::move(rows)}};
}

}  // namespace plumbline
