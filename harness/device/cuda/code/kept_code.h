/// Files with the code of kernels, for a disassembler that reads raw instructions.
#pragma once

#include <string>

#include "device/cuda/code/code_index.h"

namespace plumbline::cuda {

/// Writes called_code() to FOLDER/HASH.ARCHITECTURE.bin ("….sm_90a.bin") and makes the last folder.
/// Does nothing if that file is there, if the architecture is not known, or if it cannot be
/// written: measuring does not depend on it.
void keep_code(const IndexedCode& code, const std::string& folder) noexcept;

}  // namespace plumbline::cuda
