#include "backends/nvrtc/nvrtc.h"

#include <nvrtc.h>
#include <sys/stat.h>

#include <array>
#include <utility>

#include "backends/files.h"
#include "backends/implementation.h"
#include "backends/nvrtc/kernels_in_source.h"
#include "backends/toolkit_library.h"
#include "core/error.h"

namespace plumbline::nvrtc {
namespace {

/// A folder that exists where CCCL's headers are.
constexpr const char* kCcclFolder = "/cuda/std";
/// The file name in NVRTC's messages about name expressions.
constexpr std::string_view kNameMap = "__nv_name_map";

/// A hint for a missing dtype header, which the compiler cannot give: the type's name comes from
/// the suite, not from the file.
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

/// Folders of CUDA's headers and CCCL's: beside the library, else (wheels have no CCCL) those of
/// the toolkit that this program was built with.
std::vector<std::string> header_folders(const std::string& headers) {
  std::vector<std::string> folders;
  for (const std::string& folder : {headers, headers + "/cccl"})
    if (is_folder(folder)) folders.push_back(folder);
  for (const std::string& folder : folders)
    if (is_folder(folder + kCcclFolder)) return folders;
  if (is_folder(PLUMBLINE_CCCL + std::string(kCcclFolder))) folders.emplace_back(PLUMBLINE_CCCL);
  return folders;
}

/// Identifies a build of a library: builds of the same version differ in size or date.
std::string build_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return path;
  return path + ' ' + std::to_string(status.st_size) + ' ' + std::to_string(status.st_mtim.tv_sec) +
         '.' + std::to_string(status.st_mtim.tv_nsec);
}

}  // namespace

struct Compiler::Library {
  ToolkitLibrary file{"libnvrtc.so.13", "CUDA source cannot be compiled here"};
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
  nvrtc.file.load(nvrtc.version, "nvrtcVersion");
  nvrtc.file.load(nvrtc.error_string, "nvrtcGetErrorString");
  nvrtc.file.load(nvrtc.create, "nvrtcCreateProgram");
  nvrtc.file.load(nvrtc.destroy, "nvrtcDestroyProgram");
  nvrtc.file.load(nvrtc.add_name, "nvrtcAddNameExpression");
  nvrtc.file.load(nvrtc.compile, "nvrtcCompileProgram");
  nvrtc.file.load(nvrtc.lowered_name, "nvrtcGetLoweredName");
  nvrtc.file.load(nvrtc.log_size, "nvrtcGetProgramLogSize");
  nvrtc.file.load(nvrtc.log, "nvrtcGetProgramLog");
  nvrtc.file.load(nvrtc.ptx_size, "nvrtcGetPTXSize");
  nvrtc.file.load(nvrtc.ptx, "nvrtcGetPTX");
  nvrtc.file.load(nvrtc.image_size, "nvrtcGetCUBINSize");
  nvrtc.file.load(nvrtc.image, "nvrtcGetCUBIN");
  const std::string library = library_of(reinterpret_cast<const void*>(nvrtc.version));
  build_ = build_of(library);
  toolkit_folders_ = header_folders(folder_of(folder_of(library)) + "/include");
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
  if (symbol == nullptr)  // success without a name: part of the file was not read as text
    throw Error(job.path + ": NVRTC compiled it, but found no '" + job.kernel +
                "'; is it, with all that it includes, UTF-8 text?");
  Compiled compiled;
  compiled.symbol = symbol;
  compiled.ptx = nvrtc.text(program, nvrtc.ptx_size, nvrtc.ptx, "nvrtcGetPTX", job);
  compiled.image = nvrtc.text(program, nvrtc.image_size, nvrtc.image, "nvrtcGetCUBIN", job);
  return compiled;
}

}  // namespace plumbline::nvrtc
