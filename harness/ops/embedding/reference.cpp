#include <ATen/ops/index.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  const auto vocabulary = p.integer("vocabulary");
  return {{.name = "table", .shape = {vocabulary, p.integer("width")}, .dtype = p.dtype()},
          {.name = "token",
           .shape = {p.integer("tokens")},
           .dtype = DType::int64,
           .distribution = {Distribution::Kind::integer, 0, double(vocabulary)}}};
}

/// Uses general indexing: other kernels than embedding's accumulate its gradient.
at::Tensor reference(const Problem&, const Tensors& inputs) {
  return at::index(inputs[0], {inputs[1]});
}

}  // namespace

Definition embedding_definition() { return {inputs, reference}; }

}  // namespace plumbline
