/// Libraries of the CUDA Toolkit, opened when first needed and never closed.
#pragma once

namespace plumbline {

class ToolkitLibrary {
 public:
  /// Prefers the library beside the CUDA run time, which has the same version; else the one that
  /// the loader finds. Throws Unsupported; its reason begins with `lost`: what is impossible
  /// without the library.
  ToolkitLibrary(const char* name, const char* lost);

  /// Throws Unsupported if the library lacks the function.
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
