/// What can be measured: every metric is a row of metrics(), with its unit, the profile of worker
/// that measures it, and whether verdicts are reached on it.
///
/// A policy asks for measurements by name (`metrics: [gpu_time, kernel_time]`); one measurement
/// gives one metric or several. Knows nothing of how they are taken (device/, measure/).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// How a worker is set up; a visit belongs to one profile (harness/README.md).
enum class Profile { timing, trace, stock, sanitizer };
inline constexpr std::array<std::string_view, 4> kProfileNames{"timing", "trace", "stock",
                                                               "sanitizer"};
constexpr std::string_view name_of(Profile profile) {
  return kProfileNames[static_cast<std::size_t>(profile)];
}
std::optional<Profile> profile_named(std::string_view name);

struct Metric {
  std::string_view name;  // in results.csv: gpu_time_cold
  std::string_view
      measurement;  // that a policy asks for: gpu_time; "" = comes with the case itself
  std::string_view unit;
  Profile profile;
  bool is_judged;        // verdicts are reached on it; the others are shown
  bool is_more_better;   // FLOP/s-like; times and memory are better when less
  std::string_view doc;  // definition, one sentence
};

std::span<const Metric> metrics();
/// The row of that name, or nullptr (metrics of imported results may be any).
const Metric* find_metric(std::string_view name);

/// Names that `metrics:` of a policy may hold.
std::vector<std::string_view> measurement_names();

/// Profiles, in the order in which a round goes through them, whose workers measure what is asked
/// for on a device of this kind ("cpu" or "cuda"). A CPU has wall_time, from profile timing.
std::vector<Profile> profiles_for(std::span<const std::string> measurements,
                                  std::string_view device_kind);

}  // namespace plumbline
