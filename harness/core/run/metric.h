/// What can be measured. Every metric is a row of metrics(), with its unit, the worker profile that
/// measures it, and whether verdicts are reached on it.
///
/// A policy asks for measurements by name (`metrics: [gpu_time, kernel_time]`); one measurement
/// gives one or more metrics. Does not know how they are taken (device/, measure/).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// How a worker is set up; a visit belongs to one profile (harness/README.md).
enum class Profile { timing, trace, stock, counters, sanitizer };
inline constexpr std::array<std::string_view, 5> kProfileNames{"timing", "trace", "stock",
                                                               "counters", "sanitizer"};
constexpr std::string_view name_of(Profile profile) {
  return kProfileNames[static_cast<std::size_t>(profile)];
}
/// Whether only cases without streams and with one rank have metrics in this profile.
constexpr bool is_of_plain_cases(Profile profile) {
  return profile == Profile::stock || profile == Profile::counters;
}
std::optional<Profile> profile_named(std::string_view name);

struct Metric {
  std::string_view name;         // in results.csv: gpu_time_cold
  std::string_view measurement;  // name in a policy: gpu_time; "" = measured with every case
  std::string_view unit;
  Profile profile;
  bool is_judged;        // verdicts are reached on it; other metrics are only shown
  bool is_more_better;   // as for FLOP/s; for times and memory less is better
  std::string_view doc;  // definition, one sentence
};

std::span<const Metric> metrics();
/// The row of that name, or nullptr (imported results may have any metric).
const Metric* find_metric(std::string_view name);

/// Of the measurement `counters`: bytes that a launch moved between DRAM and L2.
inline constexpr std::string_view kDramBytes = "dram_bytes";
/// Prefix of the metrics that say what the warps of a launch waited for.
inline constexpr std::string_view kStall = "stall_";

/// Names that `metrics:` of a policy may hold.
std::vector<std::string_view> measurement_names();

/// The profiles whose workers take these measurements on a device of this kind ("cpu" or "cuda"),
/// in the order of a round. A CPU has wall_time, from profile timing.
std::vector<Profile> profiles_for(std::span<const std::string> measurements,
                                  std::string_view device_kind);

}  // namespace plumbline
