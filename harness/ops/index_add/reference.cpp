#include <ATen/ops/index_put.h>
#include <ATen/ops/zeros.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  const auto updates = p.integer("updates");
  return {{.name = "x", .shape = {updates, p.integer("cols")}, .dtype = p.dtype()},
          {.name = "index",
           .shape = {updates},
           .dtype = DType::int64,
           .distribution = {Distribution::Kind::integer, 0, double(p.integer("rows"))}}};
}

/// Uses general indexed assignment, which sorts the indices; index_add uses atomics.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor zeros = at::zeros({p.integer("rows"), p.integer("cols")}, inputs[0].options());
  return at::index_put(zeros, {inputs[1]}, inputs[0], /*accumulate=*/true);
}

}  // namespace

Definition index_add_definition() { return {inputs, reference}; }

}  // namespace plumbline
