/// Which way a metric is better.
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

/// By the table of metrics, else by what the run says of it (RunInfo::better), else by the unit:
/// times, bytes and energy are better when less. Nothing where none of them says.
std::optional<Better> better_of(const RunInfo& info, std::string_view metric,
                                std::string_view unit);

/// What to do where nothing says which way a metric is better.
std::string unknown_direction_text(std::string_view metric);

}  // namespace plumbline
