/// Meaning of CUDA's load errors for the case that brought the image. Pure.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace plumbline {

/// Throws if the image is at fault and not the device: Unsupported for an image that this GPU or
/// driver does not take, Error for a broken one. Returns for success and for all other codes.
void throw_load_failure(cudaError_t code, const std::string& name);

}  // namespace plumbline
