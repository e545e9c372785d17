#include "attach/cupti.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "core/attach_records.h"

namespace plumbline::attach {
namespace {

/// The newest first. The records of all have the same beginning, which is all that is read.
constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
constexpr const char* kFolders[] = {"/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64",
                                    "/opt/cuda/lib64", "/opt/cuda/extras/CUPTI/lib64"};

void* open_any() {
  for (const char* name : kNames)
    if (void* loaded = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return loaded;
  const char* const said = std::getenv(kCuptiVariable);
  for (std::string_view rest = said != nullptr ? said : ""; !rest.empty();) {
    const std::string path(rest.substr(0, rest.find(':')));
    rest.remove_prefix(path.size() == rest.size() ? rest.size() : path.size() + 1);
    if (void* opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
  }
  for (const char* name : kNames)
    if (void* opened = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return opened;
  for (const char* folder : kFolders)
    for (const char* name : kNames)
      if (void* opened = dlopen((std::string(folder) + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL))
        return opened;
  return nullptr;
}

template <class Function>
bool find(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

std::string Cupti::load() {
  void* const library = open_any();
  if (library == nullptr)
    return "found no libcupti: the program has loaded none, and none is in the loader's folders or "
           "in /usr/local/cuda; name its file in " +
           std::string(kCuptiVariable);
  find(library, nvtx, "InitializeInjectionNvtx2");
  const bool has_all = find(library, version, "cuptiGetVersion") &&
                       find(library, result_string, "cuptiGetResultString") &&
                       find(library, timestamp, "cuptiGetTimestamp") &&
                       find(library, subscribe, "cuptiSubscribe") &&
                       find(library, enable, "cuptiActivityEnable") &&
                       find(library, flush, "cuptiActivityFlushAll") &&
                       find(library, next_record, "cuptiActivityGetNextRecord") &&
                       find(library, dropped, "cuptiActivityGetNumDroppedRecords") &&
                       find(library, register_callbacks, "cuptiActivityRegisterCallbacks");
  return has_all ? "" : "found a libcupti that lacks a function; CUDA 11.6 or newer is needed";
}

std::string Cupti::words(const char* call, CUptiResult code) const {
  const char* text = nullptr;
  if (result_string != nullptr) result_string(code, &text);
  return std::string(call) + ": " +
         (text != nullptr ? text : ("error " + std::to_string(int(code))).c_str());
}

}  // namespace plumbline::attach
