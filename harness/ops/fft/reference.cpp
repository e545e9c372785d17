#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/conj_physical.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/polar.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <bit>
#include <numbers>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"

namespace plumbline {
namespace {

bool is_real(const Problem& p) { return p.text("transform") == "real"; }

std::vector<InputSpec> inputs(const Problem& p) {
  std::vector<std::int64_t> shape{p.integer("batch"), p.integer("length")};
  if (!is_real(p)) shape.push_back(2);
  return {{.name = "x", .shape = shape, .dtype = p.dtype()}};
}

/// Primes up to this size are transformed by a matrix; larger ones would need too large a matrix.
constexpr std::int64_t kLargestMatrix = 1024;

/// exp(-2 pi i turns / n). Reduces `turns` modulo n while they are exact; overwrites them.
at::Tensor roots_of_unity(const at::Tensor& turns, std::int64_t n) {
  const at::Tensor angle =
      turns.remainder_(n).to(at::kDouble).mul_(-2 * std::numbers::pi / double(n));
  return at::polar(at::ones({}, angle.options()), angle);
}

at::Tensor counted(std::int64_t count, const at::TensorOptions& options) {
  return at::arange(count, options.dtype(at::kLong));
}

/// exp(-2 pi i j k / n) for j < rows, k < cols.
at::Tensor roots(std::int64_t rows, std::int64_t cols, std::int64_t n,
                 const at::TensorOptions& options) {
  return roots_of_unity(counted(rows, options).reshape({-1, 1}) * counted(cols, options), n);
}

std::int64_t smallest_factor(std::int64_t n) {
  for (std::int64_t factor = 2; factor * factor <= n; ++factor)
    if (n % factor == 0) return factor;
  return n;
}

at::Tensor transformed(at::Tensor x);

/// For any length, as a convolution with a chirp, transformed by powers of two (Bluestein 1970): j
/// k = (j^2 + k^2 - (k - j)^2) / 2.
at::Tensor transformed_by_chirp(const at::Tensor& x) {
  const std::int64_t n = x.size(-1);
  const auto padded = std::int64_t(std::bit_ceil(std::uint64_t(2 * n - 1)));
  const at::Tensor j = counted(n, x.options());
  const at::Tensor chirp = roots_of_unity(j * j, 2 * n);  // exp(-pi i j^2 / n)
  at::Tensor around = at::zeros({padded}, x.options());   // exp(pi i j^2 / n), -n < j < n
  around.slice(0, 0, n).copy_(at::conj_physical(chirp));
  around.slice(0, padded - n + 1).copy_(at::conj_physical(chirp.slice(0, 1)).flip(0));
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = padded;
  at::Tensor signal = at::zeros(shape, x.options());
  signal.slice(-1, 0, n).copy_(x * chirp);
  at::Tensor product = transformed(std::move(signal)).mul_(transformed(std::move(around)));
  // Apart from the length, the inverse of a transform is its conjugate.
  const at::Tensor folded = at::conj_physical(transformed(at::conj_physical(product)));
  return folded.slice(-1, 0, n) * chirp / double(padded);
}

/// Over the last dimension, by its smallest factor and the rest (Cooley & Tukey 1965). Uses no FFT
/// library. Takes ownership of its argument, so that no step keeps earlier ones.
at::Tensor transformed(at::Tensor x) {
  const std::int64_t n = x.size(-1);
  const auto options = x.options();
  const std::int64_t p = smallest_factor(n), q = n / p;
  if (q == 1)
    return n > kLargestMatrix ? transformed_by_chirp(x) : at::matmul(x, roots(n, n, n, options));
  const std::vector<std::int64_t> flat = x.sizes().vec();
  std::vector<std::int64_t> shape = flat;
  shape.back() = p;
  shape.push_back(q);
  x = x.reshape(shape);
  x = p > kLargestMatrix ? transformed_by_chirp(x.mT()).mT()
                         : at::matmul(roots(p, p, p, options), x);
  x = x * roots(p, q, n, options);
  return transformed(std::move(x)).transpose(-1, -2).reshape(flat);
}

at::Tensor transformed_rows(const at::Tensor& x) {
  constexpr std::int64_t kPadded = 4;  // a chirp pads to up to this many times the length
  return in_row_blocks(x.size(-1) * 16 * kPadded, {x}, {},
                       [](const Tensors& block) { return transformed(block[0]); });
}

/// The transform is linear with a symmetric matrix, so gradients go through its conjugate. Autograd
/// would keep the roots of every step.
class Transform final : public torch::autograd::Function<Transform> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& x) {
    return transformed_rows(x);
  }
  static Tensors backward(torch::autograd::AutogradContext*, const Tensors& gradients) {
    return {at::conj_physical(transformed_rows(at::conj_physical(gradients[0])))};
  }
};

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor& x = inputs[0];
  if (!is_real(p)) return at::view_as_real(Transform::apply(at::view_as_complex(x)));
  const at::Tensor spectrum = Transform::apply(at::complex(x, at::zeros_like(x)));
  return at::view_as_real(spectrum.slice(-1, 0, p.integer("length") / 2 + 1));
}

}  // namespace

Definition fft_definition() { return {inputs, reference}; }

}  // namespace plumbline
