/// Settings of the library that computes, as parameters `library.*`: the same problem on the same
/// data, which a setting lets be computed faster, less exactly or repeatably.
///
/// An op declares the settings that matter to it; operators that a suite declares have all. Where
/// all are at their defaults, the library is as the worker sets it up for every case. Knows no
/// library: backends/libtorch applies them.
#pragma once

#include <string>
#include <string_view>

#include "core/op/op_spec.h"

namespace plumbline {

struct LibrarySettings {
  bool tf32 = false;               // float32 products may round their inputs to TF32
  bool reduced_reduction = true;   // 16-bit products may add partial sums in their own type
  std::string blas = "default";    // default, cublas, cublaslt
  bool cudnn_benchmark = false;    // cuDNN tries its algorithms once and takes the fastest
  bool deterministic = false;      // the same bits in every launch
  std::string attention = "auto";  // auto, math, flash, efficient, cudnn

  bool operator==(const LibrarySettings&) const = default;
};

/// All of them, at their defaults as the worker has them.
const std::vector<ParamSpec>& library_params();

/// The parameter `library.<name>`, for an op to declare. Throws std::logic_error for another name.
const ParamSpec& library_param(std::string_view name);

/// To be declared beside library_param("tf32").
Requirement tf32_requirement();

/// Parameters that are missing are at their default.
LibrarySettings library_settings(const Params& params);

/// The first of them that is not at its default, as `name=value`; "" where all are.
std::string library_axis_of(const Params& params);

/// What cuDNN's own plans can be told: TF32 and determinism.
const std::vector<ParamSpec>& cudnn_library_params();

/// Why that backend cannot be set so; "" where it can. LibTorch has all settings, cuDNN's own
/// plans those that say what they may do: TF32 and determinism.
std::string unsettable(const std::string& backend, const Params& params);

/// Relative error of what a setting lets inputs be rounded to: the spacing of TF32's numbers at 1.
double input_rounding(const LibrarySettings& settings);

}  // namespace plumbline
