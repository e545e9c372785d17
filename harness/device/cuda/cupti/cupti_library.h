/// libcupti, opened at run time: LibTorch has already loaded it.
#pragma once

#include <cupti.h>
#include <dlfcn.h>

#include <string>

#include "device/buffer.h"

namespace plumbline::cuda {

class CuptiLibrary {
 public:
  static constexpr const char* kName = "libcupti.so.13";

  /// Throws DeviceError if it cannot be loaded. `name`: a stand-in's path in tests.
  explicit CuptiLibrary(const char* name = kName) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr)
      throw DeviceError(std::string("CUPTI cannot be loaded: ") + dlerror(),
                        DeviceError::Kind::recoverable);
    load(result_string_, "cuptiGetResultString");
  }

  /// Throws DeviceError if the library lacks it.
  template <class Function>
  void load(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (function == nullptr)
      throw DeviceError(std::string("libcupti.so.13 has no ") + name,
                        DeviceError::Kind::recoverable);
  }

  std::string words(CUptiResult code) const {
    const char* text = nullptr;
    result_string_(code, &text);
    return text != nullptr ? text : "error " + std::to_string(int(code));
  }

  void check(CUptiResult code, const char* call) const {
    if (code != CUPTI_SUCCESS)
      throw DeviceError(std::string(call) + ": " + words(code), DeviceError::Kind::recoverable);
  }

 private:
  void* handle_;
  decltype(&cuptiGetResultString) result_string_ = nullptr;
};

}  // namespace plumbline::cuda
