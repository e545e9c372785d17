/// Libraries of the CUDA Toolkit that are opened when they are needed, for good.
#pragma once

namespace plumbline {

class ToolkitLibrary {
 public:
  /// Beside the CUDA run time, whose version it has then; else where the loader finds one.
  /// Throws Unsupported, whose reason begins with `lost`: what cannot be done without it.
  ToolkitLibrary(const char* name, const char* lost);

  /// Throws Unsupported where the library lacks the function.
  template <class Function>
  void load(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(address(name));
  }

 private:
  void* address(const char* name) const;

  const char *name_, *lost_;
  void* handle_;
};

}  // namespace plumbline
