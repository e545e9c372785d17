/// The parts of a run that move together when its environment changes: all cases with the machine,
/// compute-bound cases with the SM clock, memory-bound cases with the memory clock; and the times
/// that the host needs, whatever the GPU does.
///
/// Names only; achieved.h assigns cases to parts, shifts.h estimates how far a part moved.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace plumbline {

enum class RunPart : unsigned char { whole, compute, memory, host };

inline constexpr std::array<std::string_view, 4> kRunPartNames{"whole", "compute-bound",
                                                               "memory-bound", "host"};
/// The parts of the GPU's times: those before `host`.
inline constexpr auto kGpuRunParts = static_cast<std::size_t>(RunPart::host);

constexpr std::string_view name_of(RunPart part) {
  return kRunPartNames[static_cast<std::size_t>(part)];
}

}  // namespace plumbline
