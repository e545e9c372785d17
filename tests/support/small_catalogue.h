/// A hand-made catalogue of two ops, so that tests of suites do not depend on ops/.
#pragma once

#include "core/op/op_spec.h"

namespace plumbline {

inline OpSpec small_softmax() {
  OpSpec spec;
  spec.name = "softmax";
  spec.doc = "softmax over the last dimension";
  spec.revision = 3;
  spec.params = {
      {"rows", ParamKind::integer, std::nullopt, 1, {}, "rows of the input"},
      {"cols", ParamKind::integer, std::nullopt, 1, {}, "elements of a row"},
      {"layout",
       ParamKind::text,
       "contiguous",
       std::nullopt,
       {"contiguous", "transposed"},
       "how the input lies in memory"},
      {"scale", ParamKind::number, 1.0, 0.0, {}, "factor on the input"},
  };
  spec.dtypes = {DType::float32, DType::float16, DType::bfloat16};
  spec.has_backward = true;
  spec.limits = {
      {"custom", "direction == 'forward'", "the custom softmax is for direction=forward"},
      {"libtorch", "layout == 'contiguous' or device.kind == 'cuda'",
       "LibTorch has transposed rows on NVIDIA GPUs only"}};
  spec.forward = {"5 * rows * cols", "2 * rows * cols * sizeof(dtype)"};
  return spec;
}

inline OpSpec small_gemm() {
  OpSpec spec;
  spec.name = "gemm";
  spec.doc = "matrix product";
  for (const char* name : {"m", "n", "k"})
    spec.params.push_back({name, ParamKind::integer, std::nullopt, 1, {}, "size of a dimension"});
  spec.params.push_back(
      {"batch", ParamKind::integer, std::int64_t{1}, 1, {}, "independent products"});
  spec.params.push_back(
      {"bias", ParamKind::boolean, false, std::nullopt, {}, "a vector is added to every row"});
  spec.dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16};
  spec.requirements = {
      {"dtype != 'float16' or k % 8 == 0", "k must be a multiple of 8 in float16"}};
  spec.forward = {"2 * batch * m * n * k", "batch * (m * k + k * n + m * n) * sizeof(dtype)"};
  return spec;
}

inline Catalogue small_catalogue() {
  return {{small_softmax(), {"libtorch", "custom"}}, {small_gemm(), {"libtorch"}}};
}

}  // namespace plumbline
