#include "backends/kernel/ptx_assembler.h"

#include <nvJitLink.h>

#include "backends/toolkit_library.h"
#include "core/error.h"

namespace plumbline {
namespace {

constexpr const char* kLibrary = "libnvJitLink.so.13";

/// Functions of the library; it stays loaded, because the process uses them repeatedly.
struct Assembler {
  decltype(&nvJitLinkCreate) create = nullptr;
  decltype(&nvJitLinkDestroy) destroy = nullptr;
  decltype(&nvJitLinkAddData) add = nullptr;
  decltype(&nvJitLinkComplete) complete = nullptr;
  decltype(&nvJitLinkGetErrorLogSize) log_size = nullptr;
  decltype(&nvJitLinkGetErrorLog) log = nullptr;

  Assembler() {
    const ToolkitLibrary library(kLibrary, "PTX cannot be assembled here");
    library.load(create, "nvJitLinkCreate");
    library.load(destroy, "nvJitLinkDestroy");
    library.load(add, "nvJitLinkAddData");
    library.load(complete, "nvJitLinkComplete");
    library.load(log_size, "nvJitLinkGetErrorLogSize");
    library.load(log, "nvJitLinkGetErrorLog");
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
