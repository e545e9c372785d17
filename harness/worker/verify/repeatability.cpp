#include "worker/verify/repeatability.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/view_as_real.h>
#include <c10/util/Exception.h>

#include <algorithm>

#include "core/run/result.h"

namespace plumbline {
at::Tensor bits_of(const at::Tensor& lazy) {
  const at::Tensor tensor = lazy.resolve_conj().resolve_neg();
  if (tensor.is_complex()) return bits_of(at::view_as_real(tensor));
  switch (tensor.element_size()) {
    case 1:
      return tensor.view(at::kByte);
    case 2:
      return tensor.view(at::kShort);
    case 4:
      return tensor.view(at::kInt);
    default:
      return tensor.view(at::kLong);
  }
}

bool have_same_bits(const Tensors& first, const Tensors& second) {
  return std::ranges::equal(first, second, [](const at::Tensor& a, const at::Tensor& b) {
    return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
           at::equal(bits_of(a), bits_of(b));
  });
}

std::string_view repeatability(Tensors results, const std::function<Tensors()>& again) {
  Tensors first;
  try {
    for (const at::Tensor& result : results) first.push_back(result.clone());
  } catch (const c10::OutOfMemoryError&) {
    return "";
  }
  results.clear();
  for (int i = 0; i < kRepeats; ++i)
    if (!have_same_bits(first, again())) return kRepeatsVaries;
  return kRepeatsBitwise;
}

}  // namespace plumbline
