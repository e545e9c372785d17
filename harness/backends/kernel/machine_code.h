/// What a .cubin says of itself: the GPU that it is for, and its kernels.
///
/// An ELF file of NVIDIA's machine (System V ABI, "Object Files"; the numbers of CUDA's flags are
/// those of LLVM's BinaryFormat/ELF.h, and of cubins by nvcc 13 and Triton 3.6). Nothing of the
/// code itself is read: whether it runs, a GPU says. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kernel/architecture.h"

namespace plumbline {

struct MachineCode {
  std::optional<Architecture> architecture;  // nothing where the file is of an unknown version
  std::vector<std::string> functions;        // kernels, and what they call
};

/// Throws Error that names the file for bytes that are no such file, or one that is cut off.
MachineCode read_machine_code(const std::string& path, std::string_view bytes);

/// Throws Unsupported for code of GPUs that are not `here`, Error where it has no kernel `entry`.
void check_machine_code(const std::string& path, std::string_view bytes, const std::string& entry,
                        const Architecture& here);

}  // namespace plumbline
