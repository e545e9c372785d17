#include "backends/toolkit_library.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <string>

#include "backends/files.h"
#include "backends/implementation.h"

namespace plumbline {

ToolkitLibrary::ToolkitLibrary(const char* name, const char* lost) : name_(name), lost_(lost) {
  const auto* run_time = reinterpret_cast<const void*>(&cudaRuntimeGetVersion);
  const std::string beside = folder_of(library_of(run_time)) + "/" + name;
  handle_ = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) throw Unsupported(std::string(lost) + ": " + dlerror());
}

void* ToolkitLibrary::address(const char* name) const {
  void* const found = dlsym(handle_, name);
  if (found == nullptr)
    throw Unsupported(std::string(lost_) + ": " + name_ + " lacks the function " + name);
  return found;
}

}  // namespace plumbline
