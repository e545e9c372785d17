/// The phases of a network's step, each with a metric of its own: "forward" has `forward_time`.
#pragma once

#include <array>
#include <string_view>

namespace plumbline {

/// In their order within a step.
inline constexpr std::array<std::string_view, 6> kPhases{"data",     "forward",        "loss",
                                                         "backward", "scale_and_clip", "optimizer"};

/// The phase whose time the metric is; "" for all others.
constexpr std::string_view phase_of(std::string_view metric) {
  for (const std::string_view phase : kPhases)
    if (metric.starts_with(phase) && metric.substr(phase.size()) == "_time") return phase;
  return {};
}

}  // namespace plumbline
