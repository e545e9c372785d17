/// What both compilers need to know about a device: tensors as plain memory, and errors of calls.
///
/// C++17, because the CUDA compiler reads it; device.h is the interface.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/dtype.h"

namespace plumbline {

/// Distribution of a tensor's elements; integers are drawn from [low, high).
struct Distribution {
  enum class Kind { uniform, normal, integer, constant } kind = Kind::uniform;
  double low = -1, high = 1;  // normal: mean and standard deviation; constant: low
};

/// A contiguous tensor as the device sees it.
struct Buffer {
  void* data = nullptr;
  DType dtype = DType::float32;
  std::int64_t elements = 0;
};

/// A piece of memory.
struct MemorySpan {
  void* data = nullptr;
  std::uint64_t bytes = 0;
};

/// A call to the device's driver or run time failed.
class DeviceError : public std::runtime_error {
 public:
  enum class Kind {
    recoverable,    // the device is still usable
    out_of_memory,  // still usable, with less memory
    sticky,         // the process has lost the device
  };
  DeviceError(const std::string& message, Kind error_kind)
      : std::runtime_error(message), kind(error_kind) {}
  Kind kind;
};

}  // namespace plumbline
