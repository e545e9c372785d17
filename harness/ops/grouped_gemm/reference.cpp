#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/matmul.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backends/implementation.h"

namespace plumbline {
namespace {

/// Ends of the groups. Random shares, one for each expert, decide how many tokens it has: the
/// `idle` experts of the smallest shares have none; each other one has one token, and its part of
/// the remaining ones.
std::vector<std::int32_t> ends_of(const std::vector<double>& shares, std::int64_t tokens,
                                  std::int64_t idle) {
  const std::size_t experts = shares.size();
  std::vector<std::size_t> order(experts);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t e) { return shares[e]; });
  std::vector<bool> is_idle(experts, false);
  for (std::int64_t i = 0; i < idle; ++i) is_idle[order[std::size_t(i)]] = true;
  double all = 0;
  for (std::size_t e = 0; e < experts; ++e) all += is_idle[e] ? 0 : shares[e];
  const double rest = double(tokens - (std::int64_t(experts) - idle));
  std::vector<std::int32_t> ends;
  double sum = 0;
  std::int32_t busy = 0;
  for (std::size_t e = 0; e < experts; ++e) {
    sum += is_idle[e] ? 0 : shares[e];
    busy += is_idle[e] ? 0 : 1;
    ends.push_back(busy + std::int32_t(std::lround(rest * sum / all)));
  }
  return ends;
}

at::Tensor offsets(const at::Tensor& filled, std::int64_t tokens, std::int64_t idle) {
  const at::Tensor host = filled.to(at::kCPU, at::kDouble).contiguous();
  const double* const first = host.const_data_ptr<double>();
  std::vector<std::int32_t> ends = ends_of({first, first + host.numel()}, tokens, idle);
  return at::from_blob(ends.data(), {host.numel()}, at::kInt).clone().to(filled.device());
}

std::vector<InputSpec> inputs(const Problem& p) {
  const auto tokens = p.integer("tokens"), experts = p.integer("experts");
  const auto n = p.integer("n"), k = p.integer("k"), idle = p.integer("idle");
  std::vector<std::int64_t> shape_b{experts, k, n};
  if (p.flag("transpose_b")) std::swap(shape_b[1], shape_b[2]);
  return {{.name = "a", .shape = {tokens, k}, .dtype = p.dtype()},
          {.name = "b", .shape = shape_b, .dtype = p.dtype()},
          {.name = "offsets",
           .shape = {experts},
           .dtype = DType::float32,
           .distribution = {Distribution::Kind::uniform, 0.1, 1},
           .arrange = [=](const at::Tensor& shares) { return offsets(shares, tokens, idle); }}};
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor ends = inputs[2].to(at::kCPU);
  Tensors products;
  std::int64_t begin = 0;
  for (std::int64_t e = 0; e < ends.numel(); ++e) {
    const auto end = ends[e].item<std::int64_t>();
    const at::Tensor b = p.flag("transpose_b") ? inputs[1][e].t() : inputs[1][e];
    if (begin < end) products.push_back(at::matmul(inputs[0].slice(0, begin, end), b));
    begin = end;
  }
  return at::cat(products);
}

}  // namespace

Definition grouped_gemm_definition() { return {inputs, reference}; }

}  // namespace plumbline
