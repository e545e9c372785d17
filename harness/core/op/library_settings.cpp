#include "core/op/library_settings.h"

#include <algorithm>
#include <stdexcept>

namespace plumbline {
namespace {

constexpr std::string_view kPrefix = "library.";

const Value* find(const Params& params, const char* name) {
  const auto found = params.find(name);
  return found == params.end() ? nullptr : &found->second;
}

}  // namespace

const std::vector<ParamSpec>& library_params() {
  const auto flag = [](const char* name, bool fallback, const char* doc) {
    return ParamSpec{name, ParamKind::boolean, fallback, std::nullopt, {}, doc};
  };
  const auto text = [](const char* name, std::vector<std::string> allowed, const char* doc) {
    return ParamSpec{name, ParamKind::text, allowed.front(), std::nullopt, allowed, doc};
  };
  static const LibrarySettings kDefaults;
  static const std::vector<ParamSpec> kParams{
      flag("library.tf32", kDefaults.tf32,
           "inputs in float32 may be rounded to TF32 (10 bits) for tensor cores"),
      flag("library.reduced_reduction", kDefaults.reduced_reduction,
           "partial sums of 16-bit products may be added in 16 bits"),
      text("library.blas", {kDefaults.blas, "cublas", "cublaslt"}, "library for matrix products"),
      flag("library.cudnn_benchmark", kDefaults.cudnn_benchmark,
           "cuDNN tries its algorithms once and takes the fastest"),
      flag("library.deterministic", kDefaults.deterministic,
           "only algorithms that give the same bits every time"),
      text("library.attention", {kDefaults.attention, "math", "flash", "efficient", "cudnn"},
           "kernel of attention; auto: as LibTorch chooses"),
  };
  return kParams;
}

const std::vector<ParamSpec>& cudnn_library_params() {
  static const std::vector<ParamSpec> kParams{library_param("tf32"),
                                              library_param("deterministic")};
  return kParams;
}

const ParamSpec& library_param(std::string_view name) {
  for (const ParamSpec& param : library_params())
    if (std::string_view(param.name).substr(kPrefix.size()) == name) return param;
  throw std::logic_error("there is no library setting '" + std::string(name) + "'");
}

Requirement tf32_requirement() {
  return {"not library.tf32 or dtype == 'float32'", "library.tf32 is for float32"};
}

LibrarySettings library_settings(const Params& params) {
  LibrarySettings settings;
  const auto read = [&params](const char* name, auto& member) {
    if (const Value* value = find(params, name))
      member = std::get<std::remove_reference_t<decltype(member)>>(*value);
  };
  read("library.tf32", settings.tf32);
  read("library.reduced_reduction", settings.reduced_reduction);
  read("library.blas", settings.blas);
  read("library.cudnn_benchmark", settings.cudnn_benchmark);
  read("library.deterministic", settings.deterministic);
  read("library.attention", settings.attention);
  return settings;
}

std::string library_axis_of(const Params& params) {
  for (const ParamSpec& param : library_params()) {
    const Value* value = find(params, param.name.c_str());
    if (value && !same_value(*value, *param.fallback)) return param.name + '=' + to_text(*value);
  }
  return "";
}

std::string unsettable(const std::string& backend, const Params& params) {
  if (backend == "libtorch") return "";
  Params others = params;
  if (backend == "cudnn")
    for (const ParamSpec& param : cudnn_library_params()) others.erase(param.name);
  const std::string setting = library_axis_of(others);
  if (setting.empty()) return "";
  return setting + " is a setting of LibTorch; backend " + backend + " has " +
         (backend == "cudnn" ? "tf32 and deterministic" : "none");
}

double input_rounding(const LibrarySettings& settings) { return settings.tf32 ? 9.765625e-4 : 0; }

}  // namespace plumbline
