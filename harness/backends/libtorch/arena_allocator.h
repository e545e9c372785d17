/// Makes LibTorch place every tensor (inputs, outputs, temporaries) in the device's arena.
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>

#include "device/device.h"

namespace plumbline {

/// Call before LibTorch's first allocation on the device. `device` must outlive every tensor. When
/// the arena is full, LibTorch throws c10::OutOfMemoryError.
void place_cpu_tensors(Device& device);
void place_cuda_tensors(Device& device);

/// LibTorch's own allocator of GPU memory, ready to use, even if the arena replaces it for tensors.
c10::cuda::CUDACachingAllocator::CUDAAllocator& own_cuda_allocator();

}  // namespace plumbline
