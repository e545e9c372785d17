/// The parts of a run that move as one where its surroundings change: everything with the machine,
/// what computing bounds with the SM clock, what memory bounds with the memory's.
///
/// Names only; which case belongs where is in achieved.h, how far a part moved in shifts.h.
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
