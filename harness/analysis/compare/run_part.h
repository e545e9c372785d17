/// The parts of a run that move together when its environment changes: all cases with the machine,
/// compute-bound cases with the SM clock, memory-bound cases with the memory clock.
///
/// Names only; achieved.h assigns cases to parts, shifts.h estimates how far a part moved.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace plumbline {

enum class RunPart : unsigned char { whole, compute, memory };

inline constexpr std::array<std::string_view, 3> kRunPartNames{"whole", "compute-bound",
                                                               "memory-bound"};

constexpr std::string_view name_of(RunPart part) {
  return kRunPartNames[static_cast<std::size_t>(part)];
}

}  // namespace plumbline
