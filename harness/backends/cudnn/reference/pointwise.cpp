#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/ceil.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/log.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/square.h>
#include <ATen/ops/tan.h>
#include <ATen/ops/tanh.h>

#include "backends/cudnn/reference/parts.h"

namespace plumbline::cudnn {
namespace {

using One = at::Tensor (*)(const at::Tensor& x);
using Two = at::Tensor (*)(const at::Tensor& a, const at::Tensor& b);

at::Tensor swish(const at::Tensor& x) { return x * at::sigmoid(x); }

const std::map<std::string, One>& unary() {
  static const std::map<std::string, One> kModes{
      {"IDENTITY", [](const at::Tensor& x) { return x; }},
      {"ABS", at::abs},
      {"CEIL", at::ceil},
      {"COS", at::cos},
      {"ERF", at::erf},
      {"EXP", at::exp},
      {"FLOOR", at::floor},
      {"LOG", at::log},
      {"NEG", at::neg},
      {"RECIPROCAL", at::reciprocal},
      {"RSQRT", at::rsqrt},
      {"SIN", at::sin},
      {"SQRT", at::sqrt},
      {"TAN", at::tan},
      {"RELU_FWD", at::relu},
      {"SIGMOID_FWD", at::sigmoid},
      {"TANH_FWD", at::tanh},
      {"SWISH_FWD", swish},
      {"GELU_FWD", [](const at::Tensor& x) { return at::gelu(x); }},
      {"GELU_APPROX_TANH_FWD", [](const at::Tensor& x) { return at::gelu(x, "tanh"); }},
      {"SOFTPLUS_FWD", [](const at::Tensor& x) { return at::softplus(x); }}};
  return kModes;
}

/// For activations backward, the first operand is the gradient, the second the activation's input.
const std::map<std::string, Two>& binary() {
  using T = const at::Tensor&;
  static const std::map<std::string, Two> kModes{
      {"ADD", [](T a, T b) { return a + b; }},
      {"ADD_SQUARE", [](T a, T b) { return a + at::square(b); }},
      {"SUB", [](T a, T b) { return a - b; }},
      {"MUL", [](T a, T b) { return a * b; }},
      {"DIV", [](T a, T b) { return a / b; }},
      {"POW", [](T a, T b) { return at::pow(a, b); }},
      {"MAX", [](T a, T b) { return at::maximum(a, b); }},
      {"MIN", [](T a, T b) { return at::minimum(a, b); }},
      {"RELU_BWD", [](T gradient, T x) { return gradient * (x > 0).to(gradient.scalar_type()); }},
      {"SIGMOID_BWD",
       [](T gradient, T x) {
         const at::Tensor y = at::sigmoid(x);
         return gradient * y * (1 - y);
       }},
      {"TANH_BWD", [](T gradient, T x) { return gradient * (1 - at::square(at::tanh(x))); }},
      {"SWISH_BWD",
       [](T gradient, T x) {
         const at::Tensor s = at::sigmoid(x);
         return gradient * (s + x * s * (1 - s));
       }},
      {"GELU_BWD", [](T gradient, T x) { return at::gelu_backward(gradient, x); }},
      {"GELU_APPROX_TANH_BWD",
       [](T gradient, T x) { return at::gelu_backward(gradient, x, "tanh"); }}};
  return kModes;
}

}  // namespace

bool has_pointwise_mode(const std::string& mode) {
  return unary().contains(mode) || binary().contains(mode);
}

NamedValues pointwise(const Operation& operation) {
  const std::string mode = operation.node.at("mode").get<std::string>();
  const at::Tensor& first = operation.input("IN_0");
  if (const auto found = unary().find(mode); found != unary().end())
    return {{"OUT_0", found->second(first)}};
  return {{"OUT_0", binary().at(mode)(first, operation.input("IN_1"))}};
}

}  // namespace plumbline::cudnn
