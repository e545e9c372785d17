#include "worker/verify/verification.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/exp2.h>
#include <ATen/ops/frexp.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/value.h"

namespace plumbline {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Elements compared at once; limits the float64 temporaries of large results.
constexpr std::int64_t kChunk = std::int64_t{1} << 25;

/// Spacing of a type's subnormal numbers (IEEE 754, OCP FP8), at least that of float64's.
double smallest(at::ScalarType type) {
  if (type == at::kHalf) return 5.9604644775390625e-8;
  if (type == at::kBFloat16) return 9.183549615799121e-41;
  if (type == at::kFloat) return 1.401298464324817e-45;
  if (type == at::kFloat8_e4m3fn) return 0.001953125;
  if (type == at::kFloat8_e5m2) return 1.52587890625e-5;
  return 1e-300;
}

/// Bits of a type's significand after the point (IEEE 754, OCP FP8).
int fraction_bits(at::ScalarType type) {
  switch (type) {
    case at::kFloat8_e5m2:
      return 2;
    case at::kFloat8_e4m3fn:
      return 3;
    case at::kBFloat16:
      return 7;
    case at::kHalf:
      return 10;
    case at::kFloat:
      return 23;
    default:
      return 52;
  }
}

double largest(at::ScalarType type) {
  if (type == at::kHalf) return 65504;
  if (type == at::kFloat8_e4m3fn) return 448;
  if (type == at::kFloat8_e5m2) return 57344;
  if (type == at::kDouble) return std::numeric_limits<double>::max();
  return type == at::kBFloat16 ? 3.3895313892515355e38 : std::numeric_limits<float>::max();
}

std::string shape_text(const at::Tensor& tensor) {
  std::string text;
  for (const std::int64_t size : tensor.sizes())
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

/// How much an element may be off: `share` of its size and of the typical size, plus twice the
/// spacing of the type's smallest numbers, below which there is no relative precision.
struct Bound {
  double share;
  at::Tensor rms;  // a number on the device, so that nothing waits for it
  double spacing;
  int fraction_bits;
  double largest;  // largest number of the type
};

/// In float64: a reference that copies its inputs may have their type.
at::Tensor piece_of(const at::Tensor& flat, std::int64_t begin) {
  return flat.slice(0, begin, std::min(begin + kChunk, flat.numel())).to(at::kDouble);
}

/// Spacing of a type's numbers in the binades of `size`, which is finite and not negative.
at::Tensor ulps_of(const at::Tensor& size, const Bound& bound) {
  // size = m 2^e with m in [0.5, 1): its binade begins at 2^(e-1). For 0, e is 0.
  const at::Tensor exponent = std::get<1>(at::frexp(size)).to(at::kDouble);
  const at::Tensor spacing = at::exp2(exponent - double(1 + bound.fraction_bits));
  return at::where(size > 0, spacing, at::zeros_like(size)).clamp_min(bound.spacing);
}

struct Worst {
  double excess = -1;  // error over its bound
  std::int64_t at = 0;
  double found = 0, expected = 0;
};

/// How many times the bound was exceeded: "12", "3.4", "over 1000"; more digits would say nothing.
std::string times_text(double times) {
  if (times >= 1000) return "over 1000";
  const double rounded = times < 10 ? std::round(times * 10) / 10 : std::round(times);
  return shortest_text(rounded);
}

struct Sums {
  double error2 = 0, reference2 = 0, max_abs = 0, max_ulp = 0;
  std::int64_t off = 0;
  Worst worst;
};

/// The value of `tensor` at `index`, both on the device.
at::Tensor value_at(const at::Tensor& tensor, const at::Tensor& index) {
  return at::index_select(tensor, 0, index.reshape({1})).reshape({});
}

void add_chunk(const at::Tensor& found, const at::Tensor& expected, std::int64_t begin,
               const Bound& bound, const at::Tensor& slack, Sums& sums) {
  // Infinity is right beyond the type's largest number.
  const at::Tensor same = (found == expected) | (at::isnan(found) & at::isnan(expected)) |
                          ((found == at::sign(expected) * kInfinite) &
                           (at::abs(expected) > bound.largest * (1 - bound.share)));
  const at::Tensor difference = at::where(same, at::zeros_like(expected), found - expected);
  const at::Tensor size =
      at::where(at::isfinite(expected), at::abs(expected), at::zeros_like(expected));
  at::Tensor allowed = (size + bound.rms) * bound.share + 2 * bound.spacing;
  if (slack.defined()) allowed = allowed + piece_of(slack, begin);
  at::Tensor excess = at::abs(difference) / allowed;
  excess = at::where(at::isfinite(excess), excess, at::zeros_like(excess) + 1e300);
  const at::Tensor worst = at::argmax(excess);
  // One copy to the host, which waits for the device.
  const at::Tensor numbers =
      at::stack({(excess > 1).sum().to(at::kDouble), at::sum(difference * difference),
                 at::abs(difference).max(), (at::abs(difference) / ulps_of(size, bound)).max(),
                 worst.to(at::kDouble), value_at(excess, worst), value_at(found, worst),
                 value_at(expected, worst)})
          .cpu();
  const double* const number = numbers.const_data_ptr<double>();
  sums.off += std::int64_t(number[0]);
  sums.error2 += number[1];
  sums.max_abs = std::max(sums.max_abs, number[2]);
  sums.max_ulp = std::max(sums.max_ulp, number[3]);
  if (number[5] > sums.worst.excess)
    sums.worst = {number[5], begin + std::int64_t(number[4]), number[6], number[7]};
}

at::Tensor finite_square_sum(const at::Tensor& expected) {
  const at::Tensor finite = at::where(at::isfinite(expected), expected, at::zeros_like(expected));
  return at::sum(finite * finite);
}

/// `slack`: null, or one value for each element; `slack_together`: the share of it that counts for
/// all of them.
void check_floating(const at::Tensor& result, const at::Tensor& reference, const Bounds& bounds,
                    const at::Tensor& slack, double slack_together, Check& check) {
  const at::Tensor found = result.reshape({-1});
  const at::Tensor expected = reference.reshape({-1});
  Sums sums;
  at::Tensor reference2 = at::zeros({}, expected.options().dtype(at::kDouble));
  for (std::int64_t i = 0; i < expected.numel(); i += kChunk)
    reference2 += finite_square_sum(piece_of(expected, i));
  const auto count = double(expected.numel());
  const double spacing = smallest(result.scalar_type());
  const Bound bound{bounds.element, at::sqrt(reference2 / count), spacing,
                    fraction_bits(result.scalar_type()), largest(result.scalar_type())};
  for (std::int64_t i = 0; i < expected.numel(); i += kChunk)
    add_chunk(piece_of(found, i), piece_of(expected, i), i, bound, slack, sums);
  sums.reference2 = reference2.item<double>();
  const double size = std::max(std::sqrt(sums.reference2), 1e-300);
  const double rel_l2 = std::sqrt(sums.error2) / size;
  check.error_max_abs = std::max(check.error_max_abs, sums.max_abs);
  check.error_max_ulp = std::max(check.error_max_ulp, sums.max_ulp);
  const double widened = slack.defined() ? slack_together * slack.norm().item<double>() : 0;
  const double without_spacing = bounds.rel_l2 * std::sqrt(sums.reference2) + widened;
  const double allowed_l2 = without_spacing + spacing * std::sqrt(count);
  const bool needs_spacing = std::sqrt(sums.error2) > without_spacing;
  if (rel_l2 >= check.error_rel_l2 || !std::isfinite(check.allowed_rel_l2)) {
    check.error_rel_l2 = rel_l2;
    check.allowed_rel_l2 = (needs_spacing ? allowed_l2 : without_spacing) / size;
  }
  check.needs_subnormals |= needs_spacing;
  if (std::isnan(rel_l2)) check.error_rel_l2 = check.error_max_abs = check.error_max_ulp = kUnknown;
  check.excess = std::max(sums.off > 0 ? sums.worst.excess : 0.0,
                          std::sqrt(sums.error2) / std::max(allowed_l2, 1e-300));
  if (std::isnan(sums.error2)) check.excess = kInfinite;
  if (sums.off > 0)
    check.mistake = std::to_string(sums.off) + " of " + std::to_string(expected.numel()) +
                    " elements are off, the worst at " + index_text(result, sums.worst.at) + ": " +
                    shortest_text(sums.worst.found) + " instead of " +
                    shortest_text(sums.worst.expected) + ", " + times_text(sums.worst.excess) +
                    " times what is allowed";
  else if (!(std::sqrt(sums.error2) <= allowed_l2))
    check.mistake = "relative L2 error " + shortest_text(rel_l2) + ", allowed " +
                    shortest_text(allowed_l2 / size);
}

/// Whether `values` may come from `input` along `dim`: either unchanged or reduced.
bool are_along(const at::Tensor& input, const at::Tensor& values, std::int64_t dim) {
  if (input.dim() != values.dim()) return false;
  for (std::int64_t d = 0; d < input.dim(); ++d)
    if (d != dim && input.size(d) != values.size(d)) return false;
  return true;
}

bool name_along(const at::Tensor& input, const at::Tensor& indices, const at::Tensor& values,
                std::int64_t dim) {
  if (!are_along(input, values, dim)) return false;
  if ((indices < 0).any().item<bool>() || (indices >= input.size(dim)).any().item<bool>())
    return false;
  const at::Tensor named = at::gather(input, dim, indices).to(at::kDouble);
  if (!((named == values) | (at::isnan(named) & at::isnan(values))).all().item<bool>())
    return false;
  if (indices.size(dim) < 2) return true;
  const at::Tensor sorted = std::get<0>(at::sort(indices, dim));
  return (sorted.diff(1, dim) != 0).all().item<bool>();
}

/// Whether each index names an element of one of `inputs`, along a dimension, that equals the value
/// at the index's place, and no element twice.
bool name_their_values(const at::Tensor& indices, const at::Tensor& values, const Tensors& inputs) {
  if (indices.scalar_type() != at::kLong || indices.sizes() != values.sizes()) return false;
  const auto name_in = [&](const at::Tensor& input) {
    for (std::int64_t dim = 0; dim < input.dim(); ++dim) {
      const bool is_reduced = input.dim() == values.dim() + 1;
      if (name_along(input, is_reduced ? indices.unsqueeze(dim) : indices,
                     is_reduced ? values.unsqueeze(dim) : values, dim))
        return true;
    }
    return false;
  };
  return std::ranges::any_of(inputs, name_in);
}

/// Says if the result's type is narrower than the reference's, or "": fewer bytes are less work.
std::string narrower_type(const at::Tensor& result, const at::Tensor& reference) {
  const at::ScalarType found = result.scalar_type(), expected = reference.scalar_type();
  const bool is_narrower =
      at::isIntegralType(found, true) &&
      (at::isFloatingType(expected) || (at::isIntegralType(expected, true) &&
                                        c10::elementSize(found) < c10::elementSize(expected)));
  if (!is_narrower) return "";
  return std::string("the result is ") + c10::toString(found) + ", the reference's " +
         (at::isFloatingType(expected) ? "of a floating-point type" : c10::toString(expected));
}

/// `values`: the ones that the indices may name; null if no result precedes.
void check_exact(const at::Tensor& result, const at::Tensor& reference, const at::Tensor& values,
                 const Tensors& inputs, Check& check) {
  const std::int64_t off = (result != reference).sum().item<std::int64_t>();
  if (off == 0) return;
  const std::string text = std::to_string(off) + " of " + std::to_string(reference.numel()) +
                           " integers differ from the reference";
  if (values.defined() && name_their_values(result, values, inputs))
    check.doubt = text + ", which ties among the values explain";
  else {
    check.mistake = text;
    check.excess = kInfinite;
  }
}

}  // namespace

std::string index_text(const at::Tensor& tensor, std::int64_t flat) {
  std::string text;
  for (std::int64_t d = tensor.dim() - 1; d >= 0; --d) {
    text = std::to_string(flat % tensor.size(d)) + (text.empty() ? "" : ", ") + text;
    flat /= tensor.size(d);
  }
  return "[" + text + "]";
}

Check check_results(const Tensors& results, const Tensors& expected, const Allowance& allowed,
                    const Tensors& inputs) {
  Check check;
  if (results.size() != expected.size()) {
    check.excess = kInfinite;
    check.mistake =
        std::to_string(results.size()) + " results instead of " + std::to_string(expected.size());
    return check;
  }
  at::Tensor values;  // the previous floating-point result
  for (std::size_t i = 0; i < results.size() && check.mistake.empty(); ++i) {
    const at::Tensor& result = results[i];
    const at::Tensor& reference = expected[i];
    const std::string which = results.size() > 1 ? "result " + std::to_string(i) + ": " : "";
    if (result.sizes() != reference.sizes()) {
      check.excess = kInfinite;
      check.mistake = "shape " + shape_text(result) + " instead of " + shape_text(reference);
    } else if (std::string type = narrower_type(result, reference);
               !allowed.may_be_narrower && !type.empty()) {
      check.excess = kInfinite;
      check.mistake = std::move(type);
    } else if (reference.numel() > 0 && at::isFloatingType(reference.scalar_type())) {
      values = reference;
      check_floating(result, reference, allowed.bounds(result.scalar_type()),
                     i < allowed.slack.size() ? allowed.slack[i] : at::Tensor(),
                     allowed.slack_together, check);
    } else if (reference.numel() > 0) {
      check_exact(result, reference, values, inputs, check);
    }
    if (!check.mistake.empty()) check.mistake = which + check.mistake;
  }
  return check;
}

}  // namespace plumbline
