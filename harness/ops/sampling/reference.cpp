#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "backends/implementation.h"

namespace plumbline {
namespace {

/// Sums of probabilities may be off by this much: float32's rounding, times a few.
constexpr double kSlack = 1e-5;

std::vector<InputSpec> inputs(const Problem& p) {
  const auto rows = p.integer("rows");
  return {{.name = "logits",
           .shape = {rows, p.integer("vocabulary")},
           .dtype = p.dtype(),
           .distribution = {Distribution::Kind::normal, 0, 2}},
          {.name = "uniform",
           .shape = {rows},
           .dtype = DType::float32,
           .distribution = {Distribution::Kind::uniform, 0, 1}}};
}

/// The largest logits of a row, in descending order, and the sums of their probabilities.
struct Candidates {
  std::vector<double> logits, sums;
};

Candidates candidates(const double* row, std::int64_t vocabulary, std::int64_t top_k) {
  Candidates found{{row, row + vocabulary}, {}};
  std::ranges::sort(found.logits, std::greater<>());
  found.logits.resize(std::size_t(top_k));
  double sum = 0;
  for (const double logit : found.logits)
    found.sums.push_back(sum += std::exp(logit - found.logits.front()));
  for (double& partial : found.sums) partial /= sum;
  return found;
}

/// How far the number lies beside the share of a token of that logit; 1 if the token has none.
/// Where rounding decides how many tokens remain, each of these counts is right.
double distance(const Candidates& all, double logit, double uniform, double top_p) {
  const auto equal = std::ranges::equal_range(all.logits, logit, std::greater<>());
  const auto first = equal.begin() - all.logits.begin(), end = equal.end() - all.logits.begin();
  const auto sum_before = [&](std::ptrdiff_t i) {
    return i == 0 ? 0 : all.sums[std::size_t(i - 1)];
  };
  double least = 1;
  for (auto count = first + 1; first < end && count <= std::ssize(all.sums); ++count) {
    if (sum_before(count - 1) >= top_p + kSlack) break;
    if (sum_before(count) < top_p - kSlack) continue;
    const double number = uniform * sum_before(count);
    least = std::min(least, std::max({sum_before(first) - number,
                                      number - sum_before(std::min(end, count)), 0.0}));
  }
  return least;
}

/// Nothing is to be off.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  return at::zeros({p.integer("rows")}, inputs[0].options().dtype(at::kDouble));
}

/// By how much the given number of each row is outside of its token's share, beyond the slack.
Tensors comparable(const Problem& p, const Tensors& inputs, const Tensors& results) {
  const auto vocabulary = p.integer("vocabulary"), top_k = p.integer("top_k");
  const auto on_host = [](const at::Tensor& x, at::ScalarType type) {
    return x.to(at::kCPU, type).contiguous();
  };
  const at::Tensor logits = on_host(inputs[0], at::kDouble),
                   uniform = on_host(inputs[1], at::kDouble);
  const at::Tensor tokens = on_host(results[0], at::kLong);
  std::vector<double> outside;
  for (std::int64_t r = 0; r < p.integer("rows"); ++r) {
    const double* const row = logits.const_data_ptr<double>() + r * vocabulary;
    const auto token = tokens.const_data_ptr<std::int64_t>()[r];
    const double beside = token < 0 || token >= vocabulary
                              ? 1
                              : distance(candidates(row, vocabulary, top_k), row[token],
                                         uniform.const_data_ptr<double>()[r], p.number("top_p"));
    outside.push_back(std::max(beside - kSlack, 0.0));
  }
  return {at::from_blob(outside.data(), {p.integer("rows")}, at::kDouble)
              .clone()
              .to(results[0].device())};
}

}  // namespace

Definition sampling_definition() { return {inputs, reference, comparable}; }

}  // namespace plumbline
