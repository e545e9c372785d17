#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/log.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sum.h>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"

namespace plumbline {
namespace {

/// Logits of standard deviation 2, so that the softmax prefers some classes.
std::vector<InputSpec> inputs(const Problem& p) {
  const auto rows = p.integer("rows"), classes = p.integer("classes");
  return {{.name = "logits",
           .shape = {rows, classes},
           .dtype = p.dtype(),
           .distribution = {Distribution::Kind::normal, 0, 2}},
          {.name = "target",
           .shape = {rows},
           .dtype = DType::int64,
           .distribution = {Distribution::Kind::integer, 0, double(classes)}}};
}

at::Tensor losses_of(const Tensors& rows) {
  const at::Tensor& logits = rows[0];
  const at::Tensor largest = at::amax(logits, -1, /*keepdim=*/true).detach();
  const at::Tensor sum = at::sum(at::exp(logits - largest), -1, /*keepdim=*/true);
  const at::Tensor of_target = at::gather(logits, 1, rows[1].reshape({-1, 1}));
  return (at::log(sum) + largest - of_target).reshape({-1});
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor losses = in_row_blocks(p.integer("classes") * 8, inputs, {}, losses_of);
  return p.text("reduction") == "mean" ? at::mean(losses) : losses;
}

}  // namespace

Definition cross_entropy_definition() { return {inputs, reference}; }

}  // namespace plumbline
