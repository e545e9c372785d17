/// Measured limits of a device, including LibTorch's matrix products: peaks for "percent of peak".
#pragma once

#include <string>

#include "device/calibration.h"
#include "device/device.h"

namespace plumbline {

/// On a GPU: all of calibrate_device() (device/cuda/calibration.h), and the rate of square products
/// for float64, float32, tf32, float16, bfloat16, int8 and float8. Sizes are 4096 and 8192, of
/// which the better counts (2048 if a GPU would take longer than 50 ms):
/// - matmul_<dtype>_flops_per_s: sustained, products back to back, at the clock that the GPU holds
///   within its power limit
/// - matmul_<dtype>_burst_flops_per_s: single products after a pause, at a clock that the power
///   limit has not lowered yet. Nothing that is timed launch by launch can be faster than this one.
/// On a CPU: copy_bytes_per_s and matmul_float32_flops_per_s.
/// What cannot be measured is absent with the reason. On LibTorch's current stream, in any profile.
/// Throws DeviceError where the device is lost.
Calibration calibrate(Device& device, bool is_cuda, CalibrationExtent extent);

/// {"values": {name: number}, "absent": {name: reason}, "spent_s": number}, as `plumbline-worker
/// --calibrate` prints it.
std::string to_json(const Calibration& calibration);

}  // namespace plumbline
