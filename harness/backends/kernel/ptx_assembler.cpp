#include "backends/kernel/ptx_assembler.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nvJitLink.h>

#include "backends/files.h"
#include "backends/implementation.h"
#include "core/error.h"

namespace plumbline {
namespace {

constexpr const char* kLibrary = "libnvJitLink.so.13";

/// Functions of the library, for good: the process asks for them again and again.
struct Assembler {
  void* handle = nullptr;
  decltype(&nvJitLinkCreate) create = nullptr;
  decltype(&nvJitLinkDestroy) destroy = nullptr;
  decltype(&nvJitLinkAddData) add = nullptr;
  decltype(&nvJitLinkComplete) complete = nullptr;
  decltype(&nvJitLinkGetErrorLogSize) log_size = nullptr;
  decltype(&nvJitLinkGetErrorLog) log = nullptr;

  template <class Function>
  void load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (function == nullptr) throw Unsupported(std::string(kLibrary) + " lacks " + name);
  }

  Assembler() {
    Dl_info run_time{};
    if (dladdr(reinterpret_cast<const void*>(&cudaRuntimeGetVersion), &run_time) != 0)
      handle = dlopen((folder_of(real_path(run_time.dli_fname)) + "/" + kLibrary).c_str(),
                      RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) handle = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw Unsupported(dlerror());
    load(create, "nvJitLinkCreate");
    load(destroy, "nvJitLinkDestroy");
    load(add, "nvJitLinkAddData");
    load(complete, "nvJitLinkComplete");
    load(log_size, "nvJitLinkGetErrorLogSize");
    load(log, "nvJitLinkGetErrorLog");
  }

  std::string said(nvJitLinkHandle link) const {
    std::size_t size = 0;
    log_size(link, &size);
    std::string text(size + 1, '\0');
    log(link, text.data());
    text.erase(text.find_last_not_of(std::string_view("\0\n ", 3)) + 1);
    return text;
  }
};

}  // namespace

void assemble(const std::string& path, const std::string& ptx, const std::string& architecture) {
  static const Assembler assembler;
  const std::string option = "-arch=" + architecture;
  const char* options[] = {option.c_str()};
  nvJitLinkHandle link = nullptr;
  if (assembler.create(&link, 1, options) != NVJITLINK_SUCCESS)
    throw Error(option + " is no architecture that " + kLibrary + " assembles for");
  nvJitLinkResult code =
      assembler.add(link, NVJITLINK_INPUT_PTX, ptx.data(), ptx.size(), path.c_str());
  if (code == NVJITLINK_SUCCESS) code = assembler.complete(link);
  const std::string said = assembler.said(link);
  assembler.destroy(&link);
  if (code != NVJITLINK_SUCCESS)
    throw Error(path + " cannot be assembled for " + architecture + ":\n" + said);
}

}  // namespace plumbline
