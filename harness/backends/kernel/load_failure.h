/// What CUDA's refusals to load an image mean for the case that brought it. Pure.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace plumbline {

/// Throws where the image is at fault, and not the device: Unsupported for one that this GPU or
/// driver does not take, Error for one that is broken. Returns for success and for every other
/// code.
void throw_load_failure(cudaError_t code, const std::string& name);

}  // namespace plumbline
