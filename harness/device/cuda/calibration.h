/// Measured limits of a GPU: bandwidth of its memory and of the bus to the host, launch times.
///
/// The worker measures matrix products through a library (worker/session/calibration.h).
#pragma once

#include <cuda_runtime_api.h>

#include "device/calibration.h"
#include "device/device.h"

namespace plumbline::cuda {

/// Adds for the current GPU:
/// - copy_bytes_per_s (bytes read and bytes written), read_bytes_per_s, write_bytes_per_s: the
///   fastest of several kernels and of CUDA's own calls, over buffers of 1 GiB, which no cache
///   holds; a copy also over buffers of up to 4 GiB (copy_sizes())
/// - launch_s: time per empty kernel, launched one after another without waiting
/// - event_floor_s: `floor`
/// - h2d_bytes_per_s, d2h_bytes_per_s from and to pinned memory, and h2d_pageable_bytes_per_s,
///   d2h_pageable_bytes_per_s (full extent only)
/// A value is absent if there is too little memory for it. Throws DeviceError.
void calibrate_device(Calibration& calibration, cudaStream_t stream, const TimerFloor& floor,
                      CalibrationExtent extent);

}  // namespace plumbline::cuda
