#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/polar.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/zeros_like.h>

#include <numbers>

#include "backends/implementation.h"

namespace plumbline {
namespace {

bool is_real(const Problem& p) { return p.text("transform") == "real"; }

std::vector<InputSpec> inputs(const Problem& p) {
  std::vector<std::int64_t> shape{p.integer("batch"), p.integer("length")};
  if (!is_real(p)) shape.push_back(2);
  return {{.name = "x", .shape = shape, .dtype = p.dtype()}};
}

/// exp(-2 pi i j k / n) for j < rows, k < cols; j k is reduced modulo n while it is exact.
at::Tensor roots(std::int64_t rows, std::int64_t cols, std::int64_t n,
                 const at::TensorOptions& options) {
  const at::Tensor j = at::arange(rows, options.dtype(at::kLong)).reshape({-1, 1});
  const at::Tensor k = at::arange(cols, options.dtype(at::kLong));
  const at::Tensor angle =
      (j * k).remainder(n).to(at::kDouble) * (-2 * std::numbers::pi / double(n));
  return at::polar(at::ones_like(angle), angle);
}

std::int64_t smallest_factor(std::int64_t n) {
  for (std::int64_t factor = 2; factor * factor <= n; ++factor)
    if (n % factor == 0) return factor;
  return n;
}

/// Over the last dimension, by its smallest factor and the rest (Cooley & Tukey 1965); matrix
/// products where it is prime. Knows no FFT library.
at::Tensor transformed(const at::Tensor& x) {
  const std::int64_t n = x.size(-1);
  const auto options = x.options();
  const std::int64_t p = smallest_factor(n), q = n / p;
  if (q == 1) return at::matmul(x, roots(n, n, n, options));
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = p;
  shape.push_back(q);
  const at::Tensor columns = at::matmul(roots(p, p, p, options), x.reshape(shape));
  return transformed(columns * roots(p, q, n, options)).transpose(-1, -2).reshape(x.sizes());
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor& x = inputs[0];
  if (!is_real(p)) return at::view_as_real(transformed(at::view_as_complex(x)));
  const at::Tensor spectrum = transformed(at::complex(x, at::zeros_like(x)));
  return at::view_as_real(spectrum.slice(-1, 0, p.integer("length") / 2 + 1));
}

}  // namespace

Definition fft_definition() { return {inputs, reference}; }

}  // namespace plumbline
