#include "schedule/drift.h"

#include <fmt/format.h>

#include <cmath>

namespace plumbline {

std::string note_of_drift(const WorkerRecord& worker) {
  constexpr double kDrift = 0.05;
  std::string note;
  for (const auto& [name, before] : worker.sentinel_before) {
    const auto after = worker.sentinel_after.find(name);
    if (!name.ends_with("_s") || after == worker.sentinel_after.end() || !(before > 0)) continue;
    const double change = after->second / before - 1;
    if (!(std::abs(change) > kDrift)) continue;
    if (note.empty()) note = "worker " + worker.name + ": ";
    note += fmt::format(
        "the sentinel '{}' took {:.2f} µs before its cases and {:.2f} µs after them ({:+.1f} %); ",
        name.substr(0, name.size() - 2), 1e6 * before, 1e6 * after->second, 100 * change);
  }
  if (note.empty()) return note;
  return note +
         "a case, heat or another program changed the device meanwhile, so do not trust this "
         "worker's times; measure again, and then parts of the suite alone (--filter)";
}

}  // namespace plumbline
