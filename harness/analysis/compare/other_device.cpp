#include "analysis/compare/other_device.h"

#include <fmt/format.h>

namespace plumbline {
namespace {

std::string quoted(const std::string& uuid) { return uuid.empty() ? "unknown" : "'" + uuid + "'"; }

}  // namespace

bool are_other_devices(const Environment& before, const Environment& now) {
  return before.device_uuids.empty() || before.device_uuids != now.device_uuids;
}

std::string other_device_note(const Environment& before, const Environment& now, double one_sd,
                              double two_sd) {
  const bool is_known = !before.device_uuids.empty() && !now.device_uuids.empty();
  return fmt::format(
      "{} the same device ({} and {}), but one of the same class: devices of a class differ, so "
      "whole runs are taken to differ by {:.3g} % instead of {:.3g} %.",
      is_known ? "Not" : "Not known to be", quoted(before.device_uuid()), quoted(now.device_uuid()),
      100 * two_sd, 100 * one_sd);
}

}  // namespace plumbline
