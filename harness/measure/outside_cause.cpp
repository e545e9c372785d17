#include "measure/outside_cause.h"

#include <string_view>
#include <utility>

namespace plumbline {
namespace {

bool has_reason(std::string_view reasons, std::string_view wanted) {
  while (!reasons.empty()) {
    const std::size_t end = reasons.find('+');
    if (reasons.substr(0, end) == wanted) return true;
    reasons.remove_prefix(end == std::string_view::npos ? reasons.size() : end + 1);
  }
  return false;
}

}  // namespace

std::string outside_cause(const DeviceState& state) {
  // The hardware slowdown is last of its kind: the driver reports it together with its cause.
  static constexpr std::pair<std::string_view, const char*> kCauses[] = {
      {"sw_thermal", "thermal"},
      {"hw_thermal", "thermal"},
      {"power_brake", "power brake"},
      {"hw_slowdown", "hw slowdown"}};
  for (const auto& [reason, cause] : kCauses)
    if (has_reason(state.throttle, reason)) return cause;
  return state.has_foreign_work ? "foreign work" : "";
}

}  // namespace plumbline
