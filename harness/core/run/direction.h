/// Whether more or less of a metric is better.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/run/run.h"

namespace plumbline {

enum class Better { less, more };
inline constexpr std::array<std::string_view, 2> kBetterNames{"less", "more"};
constexpr std::string_view name_of(Better better) {
  return kBetterNames[static_cast<std::size_t>(better)];
}
std::optional<Better> better_named(std::string_view name);

/// Looks in the table of metrics, then in the run (RunInfo::better), then at the unit: for times,
/// bytes and energy less is better. Nothing if all of these leave it open.
std::optional<Better> better_of(const RunInfo& info, std::string_view metric,
                                std::string_view unit);

/// Tells the user what to do where the direction of a metric is unknown.
std::string unknown_direction_text(std::string_view metric);

}  // namespace plumbline
