/// Which tensors a file holds, and where their bytes are: safetensors, and .npy of NumPy.
///
/// Reads the file's header only. Files of torch.save are pickles, which run code when they are
/// read, and are refused. Knows no suite.
///
/// Formats: https://huggingface.co/docs/safetensors (8 bytes of length, JSON, bytes) and
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html (version 1 to 3).
#pragma once

#include <string>
#include <vector>

#include "core/op/recorded_tensor.h"

namespace plumbline {

/// All tensors of the file, with names (`tensor`), places, types and shapes, without hashes. The
/// one of a .npy has the name "". A type that suites have no name for stays as the file names it.
/// Throws Error that says what the file is and how to make one that can be read: for a file that is
/// missing, truncated or of another kind.
std::vector<RecordedTensor> tensors_in_file(const std::string& path);

}  // namespace plumbline
