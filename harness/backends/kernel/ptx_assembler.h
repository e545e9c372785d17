/// Assembles PTX to machine code without a GPU, to check that it is possible.
///
/// Uses nvJitLink, opened at run time beside the CUDA run time, as LibTorch ships it. On a GPU the
/// driver assembles, perhaps with another version. https://docs.nvidia.com/cuda/nvjitlink
#pragma once

#include <string>

namespace plumbline {

/// Throws Error with the assembler's message, which names the line; Unsupported if there is no
/// assembler. `path` is for messages; `architecture` is like "sm_90a".
void assemble(const std::string& path, const std::string& ptx, const std::string& architecture);

}  // namespace plumbline
