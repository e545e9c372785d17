#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/square.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros_like.h>

#include "backends/cudnn/reference/parts.h"

namespace plumbline::cudnn {
namespace {

using Dims = std::vector<std::int64_t>;

/// The dimensions normalised together: of a layer, of a batch by channel, of an image by channel.
Dims dims_of(const Operation& operation) {
  const std::string tag = operation.tag();
  const at::Tensor& x = operation.input("X");
  Dims dims;
  const bool is_of_rows = tag.starts_with("LAYER_NORM") || tag.starts_with("RMS_NORM");
  const bool is_of_image = tag.starts_with("INSTANCE_NORM");
  for (std::int64_t i = 0; i < x.dim(); ++i)
    if (is_of_rows ? operation.input("SCALE").size(i) != 1 : is_of_image ? i > 1 : i != 1)
      dims.push_back(i);
  return dims;
}

/// Sums to the shape of `like`, over the dimensions in which `like` has one element.
at::Tensor summed_to(const at::Tensor& x, const at::Tensor& like) {
  Dims dims;
  for (std::int64_t i = 0; i < x.dim(); ++i)
    if (like.size(i) == 1) dims.push_back(i);
  return at::sum(x, dims, /*keepdim=*/true);
}

NamedValues forward(const Operation& operation, bool is_rms) {
  const at::Tensor& x = operation.input("X");
  const Dims dims = dims_of(operation);
  const at::Tensor mean = is_rms ? at::zeros_like(x) : at::mean(x, dims, /*keepdim=*/true);
  const at::Tensor variance = at::mean(at::square(x - mean), dims, /*keepdim=*/true);
  const at::Tensor inverse = at::rsqrt(variance + operation.input("EPSILON"));
  at::Tensor y = (x - mean) * inverse * operation.input("SCALE");
  if (operation.inputs.contains("BIAS")) y = y + operation.input("BIAS");
  return {{"Y", y}, {"MEAN", mean}, {"INV_VARIANCE", inverse}};
}

NamedValues backward(const Operation& operation, bool is_rms) {
  const at::Tensor &gradient = operation.input("DY"), &scale = operation.input("SCALE");
  const at::Tensor &x = operation.input("X"), &inverse = operation.input("INV_VARIANCE");
  const Dims dims = dims_of(operation);
  const at::Tensor normal = (is_rms ? x : x - operation.input("MEAN")) * inverse;
  const at::Tensor scaled = gradient * scale;
  at::Tensor centred = scaled - normal * at::mean(scaled * normal, dims, /*keepdim=*/true);
  if (!is_rms) centred = centred - at::mean(scaled, dims, /*keepdim=*/true);
  return {{"DX", inverse * centred},
          {"DSCALE", summed_to(gradient * normal, scale)},
          {"DBIAS", summed_to(gradient, scale)}};
}

}  // namespace

NamedValues normalization(const Operation& operation) {
  const std::string tag = operation.tag();
  const bool is_rms = tag.starts_with("RMS_NORM");
  for (const char* running : {"PREV_RUNNING_MEAN", "PREV_RUNNING_VAR"})
    if (operation.inputs.contains(running)) throw NoFormula(tag + " with running statistics");
  if (tag == "BATCHNORM_INFERENCE")
    return {{"Y", (operation.input("X") - operation.input("MEAN")) *
                          operation.input("INV_VARIANCE") * operation.input("SCALE") +
                      operation.input("BIAS")}};
  const bool is_backward = tag.ends_with("_BPROP") || tag == "DBN";
  return is_backward ? backward(operation, is_rms) : forward(operation, is_rms);
}

}  // namespace plumbline::cudnn
