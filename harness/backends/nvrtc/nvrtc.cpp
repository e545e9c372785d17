#include "backends/nvrtc/nvrtc.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <array>
#include <utility>

#include "backends/files.h"
#include "backends/implementation.h"
#include "backends/nvrtc/kernels_in_source.h"
#include "core/error.h"

namespace plumbline::nvrtc {
namespace {

constexpr const char* kLibrary = "libnvrtc.so.13";
/// The file in which NVRTC says that it looks name expressions up.
constexpr std::string_view kNameMap = "__nv_name_map";

/// What the compiler does not say where the suite, and not the file, names a type of dtype.
std::string missing_header(std::string_view said) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kHeaders{
      {{"__half", "cuda_fp16.h"},
       {"__nv_bfloat16", "cuda_bf16.h"},
       {"__nv_fp8_e4m3", "cuda_fp8.h"},
       {"__nv_fp8_e5m2", "cuda_fp8.h"}}};
  for (const auto& [type, header] : kHeaders)
    if (said.find("identifier \"" + std::string(type)) != said.npos)
      return "; the file lacks #include <" + std::string(header) + ">";
  return "";
}

std::string kernels_in_words(const std::string& text) {
  std::string names;
  for (const std::string& name : kernels_in_source(text))
    names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "the file itself has no __global__ function" : "the file has: " + names;
}

/// Folder of the library that holds the symbol.
std::string folder_of_library(const void* symbol) {
  Dl_info info{};
  if (dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return ".";
  return folder_of(real_path(info.dli_fname));
}

/// Beside the CUDA run time, whose version it has then; else where the loader finds one.
void* open_library() {
  const auto* run_time = reinterpret_cast<const void*>(&cudaRuntimeGetVersion);
  const std::string beside = folder_of_library(run_time) + "/" + kLibrary;
  if (void* handle = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  return dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

struct Compiler::Library {
  void* handle = nullptr;
  decltype(&nvrtcVersion) version = nullptr;
  decltype(&nvrtcGetErrorString) error_string = nullptr;
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcAddNameExpression) add_name = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcGetLoweredName) lowered_name = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetPTXSize) ptx_size = nullptr;
  decltype(&nvrtcGetPTX) ptx = nullptr;
  decltype(&nvrtcGetCUBINSize) image_size = nullptr;
  decltype(&nvrtcGetCUBIN) image = nullptr;

  template <class Function>
  void load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (function == nullptr)
      throw Unsupported(std::string("NVRTC cannot be used: it lacks ") + name);
  }

  void check(nvrtcResult code, const char* call, const Job& job) const {
    if (code != NVRTC_SUCCESS)
      throw Error(std::string(call) + " for " + job.path + ": " + error_string(code));
  }

  using Size = nvrtcResult (*)(nvrtcProgram, std::size_t*);
  using Read = nvrtcResult (*)(nvrtcProgram, char*);
  std::string text(nvrtcProgram program, Size size, Read read, const char* call,
                   const Job& job) const {
    std::size_t bytes = 0;
    check(size(program, &bytes), call, job);
    std::string text(bytes, '\0');
    check(read(program, text.data()), call, job);
    return text;
  }

  std::string log_of(nvrtcProgram program, const Job& job) const {
    std::string said = text(program, log_size, log, "nvrtcGetProgramLog", job);
    said.erase(said.find_last_not_of(std::string_view("\0\n ", 3)) + 1);
    return said;
  }
};

Compiler::Compiler() : library_(std::make_unique<Library>()) {
  Library& nvrtc = *library_;
  nvrtc.handle = open_library();
  if (nvrtc.handle == nullptr)
    throw Unsupported(std::string("CUDA source cannot be compiled here: ") + dlerror());
  nvrtc.load(nvrtc.version, "nvrtcVersion");
  nvrtc.load(nvrtc.error_string, "nvrtcGetErrorString");
  nvrtc.load(nvrtc.create, "nvrtcCreateProgram");
  nvrtc.load(nvrtc.destroy, "nvrtcDestroyProgram");
  nvrtc.load(nvrtc.add_name, "nvrtcAddNameExpression");
  nvrtc.load(nvrtc.compile, "nvrtcCompileProgram");
  nvrtc.load(nvrtc.lowered_name, "nvrtcGetLoweredName");
  nvrtc.load(nvrtc.log_size, "nvrtcGetProgramLogSize");
  nvrtc.load(nvrtc.log, "nvrtcGetProgramLog");
  nvrtc.load(nvrtc.ptx_size, "nvrtcGetPTXSize");
  nvrtc.load(nvrtc.ptx, "nvrtcGetPTX");
  nvrtc.load(nvrtc.image_size, "nvrtcGetCUBINSize");
  nvrtc.load(nvrtc.image, "nvrtcGetCUBIN");
  const std::string library = folder_of_library(reinterpret_cast<const void*>(nvrtc.version));
  const std::string headers = folder_of(library) + "/include";
  for (const std::string& folder : {headers, headers + "/cccl"})
    if (is_folder(folder)) toolkit_folders_.push_back(folder);
}

Compiler::~Compiler() = default;

std::string Compiler::version() const {
  int major = 0;
  int minor = 0;
  library_->version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

Compiled Compiler::compile(const Job& job) const {
  const Library& nvrtc = *library_;
  nvrtcProgram program{};
  nvrtc.check(nvrtc.create(&program, job.text.c_str(), job.path.c_str(), 0, nullptr, nullptr),
              "nvrtcCreateProgram", job);
  const std::unique_ptr<nvrtcProgram, decltype(nvrtc.destroy)> guard(&program, nvrtc.destroy);
  nvrtc.check(nvrtc.add_name(program, job.kernel.c_str()), "nvrtcAddNameExpression", job);
  std::vector<const char*> options;
  for (const std::string& option : job.options) options.push_back(option.c_str());
  const nvrtcResult code = nvrtc.compile(program, int(options.size()), options.data());
  if (code != NVRTC_SUCCESS) {
    std::string said = nvrtc.log_of(program, job);
    if (said.empty()) said = nvrtc.error_string(code);
    if (said.starts_with(kNameMap))
      throw Error("'" + job.kernel + "' is no kernel of " + job.path +
                  " (entry and template of the suite" + missing_header(said) + "; " +
                  kernels_in_words(job.text) + "):\n" + said);
    throw Error(job.path + " does not compile:\n" + said);
  }
  const char* symbol = nullptr;
  nvrtc.check(nvrtc.lowered_name(program, job.kernel.c_str(), &symbol), "nvrtcGetLoweredName", job);
  Compiled compiled;
  compiled.symbol = symbol;
  compiled.ptx = nvrtc.text(program, nvrtc.ptx_size, nvrtc.ptx, "nvrtcGetPTX", job);
  compiled.image = nvrtc.text(program, nvrtc.image_size, nvrtc.image, "nvrtcGetCUBIN", job);
  return compiled;
}

}  // namespace plumbline::nvrtc
