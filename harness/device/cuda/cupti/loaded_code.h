/// The machine code of the modules that this process loads, as CUPTI hands it over.
///
/// Each module is copied once, when the driver loads it; a launch costs nothing. One per process:
/// CUPTI has one subscriber.
#pragma once

#include <memory>
#include <string>

#include "device/cuda/code/code_index.h"

namespace plumbline::cuda {

class LoadedCode {
 public:
  /// Modules that were loaded before are unknown. Throws DeviceError without CUPTI, and if another
  /// tool has subscribed to it.
  LoadedCode();
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  /// From now on, hash_of() also writes the code that it finds into this folder (kept_code.h).
  void keep_in(std::string folder);
  /// As CodeIndex::hash_of().
  std::string hash_of(const LaunchedKernel& kernel) const;

  struct Modules;

 private:
  std::unique_ptr<Modules> modules_;
};

}  // namespace plumbline::cuda
