/// What a .cubin file says about itself: its GPU and its kernels.
///
/// The code itself is not read: only a GPU can tell whether it runs. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kernel/architecture.h"

namespace plumbline {

struct MachineCode {
  std::optional<Architecture> architecture;  // nullopt if the file's version is unknown
  std::vector<std::string> functions;        // kernels, and what they call
};

/// Throws Error with the file's name if the bytes are another kind of file or are cut off.
MachineCode read_machine_code(const std::string& path, std::string_view bytes);

/// Throws Unsupported for code for GPUs other than `here`, Error if it has no kernel `entry`.
void check_machine_code(const std::string& path, std::string_view bytes, const std::string& entry,
                        const Architecture& here);

}  // namespace plumbline
