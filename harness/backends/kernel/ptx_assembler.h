/// PTX to machine code without a GPU, to find out whether that can be done.
///
/// By nvJitLink, opened at run time beside the CUDA run time, as LibTorch brings it. On a GPU the
/// driver assembles, whose version may be another. https://docs.nvidia.com/cuda/nvjitlink
#pragma once

#include <string>

namespace plumbline {

/// Throws Error with what the assembler says, which names the line, Unsupported where there is no
/// assembler. `path` is for messages, `architecture` as "sm_90a".
void assemble(const std::string& path, const std::string& ptx, const std::string& architecture);

}  // namespace plumbline
