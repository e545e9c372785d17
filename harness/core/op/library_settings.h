/// Settings of the computing library, as parameters `library.*`: the problem and data stay the
/// same, but the library may compute faster, less exactly or reproducibly.
///
/// An op declares the settings that matter to it; operators declared in a suite have all of them.
/// With all at their defaults, the library has the worker's usual setup. Knows no library:
/// backends/libtorch applies the settings.
#pragma once

#include <string>
#include <string_view>

#include "core/op/op_spec.h"

namespace plumbline {

struct LibrarySettings {
  bool tf32 = false;               // float32 products may round their inputs to TF32
  bool reduced_reduction = true;   // 16-bit products may add partial sums in 16 bits
  std::string blas = "default";    // default, cublas, cublaslt
  bool cudnn_benchmark = false;    // cuDNN tries its algorithms once and takes the fastest
  bool deterministic = false;      // the same bits in every launch
  std::string attention = "auto";  // auto, math, flash, efficient, cudnn

  bool operator==(const LibrarySettings&) const = default;
};

/// All settings, with the worker's defaults.
const std::vector<ParamSpec>& library_params();

/// The parameter `library.<name>`, for an op to declare. Throws std::logic_error for another name.
const ParamSpec& library_param(std::string_view name);

/// The requirement to declare together with library_param("tf32").
Requirement tf32_requirement();

/// Missing parameters are at their defaults.
LibrarySettings library_settings(const Params& params);

/// The first setting that is not at its default, as `name=value`; "" where all are.
std::string library_axis_of(const Params& params);

/// The settings that cuDNN's own plans support: TF32 and determinism.
const std::vector<ParamSpec>& cudnn_library_params();

/// Why the backend does not support these settings; "" where it does. LibTorch supports all of
/// them, cuDNN's own plans only TF32 and determinism, other backends none.
std::string unsettable(const std::string& backend, const Params& params);

/// Relative error of the input rounding that a setting allows: the spacing of TF32 numbers at 1.
double input_rounding(const LibrarySettings& settings);

}  // namespace plumbline
