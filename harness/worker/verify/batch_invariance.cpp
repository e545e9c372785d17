#include "worker/verify/batch_invariance.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/view_as_real.h>

#include <optional>
#include <vector>

#include "core/op/batch_choice.h"
#include "core/value.h"
#include "worker/verify/repeatability.h"
#include "worker/verify/verification.h"

namespace plumbline {
namespace {

struct Part {
  std::int64_t begin = 0, size = 0;
};

std::vector<Part> parts_of(std::int64_t batch) {
  if (batch < 2) return {};
  std::vector<Part> parts{{0, 1}, {batch - 1, 1}};
  if (batch >= 4) parts.push_back({batch / 4, batch / 2});
  return parts;
}

/// A tensor of the whole that is compared with one of the part.
struct Pair {
  const at::Tensor& whole;
  const at::Tensor& part;
  std::string what;  // "input 0"
};

/// The dimension that the batch makes longer; nothing where both have the same shape.
std::optional<std::int64_t> batch_dimension(const Pair& pair, std::int64_t batch,
                                            std::int64_t size) {
  std::optional<std::int64_t> found;
  bool is_part = pair.whole.dim() == pair.part.dim();
  for (std::int64_t d = 0; is_part && d < pair.whole.dim(); ++d) {
    const std::int64_t of_whole = pair.whole.size(d), of_part = pair.part.size(d);
    if (of_whole == of_part) continue;
    is_part = !found && of_part % size == 0 && of_part / size * batch == of_whole;
    found = d;
  }
  if (!is_part)
    throw Unsupported("batch_invariant: " + pair.what +
                      " does not have one dimension that grows in proportion to the batch");
  return found;
}

at::Tensor slice_of(const Pair& pair, std::int64_t dimension, const Part& part) {
  const std::int64_t length = pair.part.size(dimension);
  return pair.whole.narrow(dimension, part.begin * (length / part.size), length);
}

std::string text_of(const at::Tensor& one) {
  if (one.is_complex()) {
    const at::Tensor parts = at::view_as_real(one);
    return text_of(parts[0]) + " + " + text_of(parts[1]) + "i";
  }
  return at::isIntegralType(one.scalar_type(), true) ? std::to_string(one.item<std::int64_t>())
                                                     : shortest_text(one.item<double>());
}

/// Where the bits of the part's result first differ from those of the whole's; "": nowhere.
std::string difference(const at::Tensor& of_whole, const at::Tensor& of_part) {
  const at::Tensor whole = of_whole.detach().contiguous(), part = of_part.detach().contiguous();
  const at::Tensor differs = (bits_of(whole) != bits_of(part)).reshape({-1});
  const auto count = differs.sum().item<std::int64_t>();
  if (count == 0) return "";
  const auto first =
      at::argmax(differs.to(at::kByte)).item<std::int64_t>() * part.numel() / differs.numel();
  return std::to_string(count) + " of " + std::to_string(differs.numel()) +
         " elements differ, the first at " + index_text(part, first) + ": " +
         text_of(part.reshape({-1})[first]) + ", in the whole batch " +
         text_of(whole.reshape({-1})[first]);
}

class Dependence {
 public:
  Dependence(const WholeBatch& whole, std::string name, std::int64_t batch)
      : whole_(whole), name_(std::move(name)), batch_(batch) {}

  std::string of(const Part& part, Device& device, const MakePart& make) const {
    Case subject = whole_.subject;
    subject.params[name_] = part.size;
    const std::unique_ptr<Workload> workload = make(subject);
    workload->make_inputs();
    put_inputs(part, workload->inputs());
    const Prepared prepared = workload->prepare();
    device.begin_launch();
    prepared.launch();
    device.synchronize();
    const std::string mistake = compare(part, prepared.results());
    if (mistake.empty()) return "";
    return "the result depends on the batch: computed alone, " + std::to_string(part.size) +
           " of " + name_ + "=" + std::to_string(batch_) + " (from " + std::to_string(part.begin) +
           ") gives other bits: " + mistake;
  }

 private:
  void put_inputs(const Part& part, const Tensors& inputs) const {
    const at::NoGradGuard no_grad;
    const Tensors all = whole_.workload.inputs();
    bool has_part = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Pair pair{all.at(i), inputs[i], "input " + std::to_string(i)};
      const auto dimension = batch_dimension(pair, batch_, part.size);
      has_part |= bool(dimension);
      inputs[i].detach().copy_(dimension ? slice_of(pair, *dimension, part) : pair.whole);
    }
    if (!has_part) throw Unsupported("batch_invariant: no input grows with " + name_);
  }

  std::string compare(const Part& part, const Tensors& results) const {
    bool has_part = false;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::string what = "result " + std::to_string(i);
      const Pair pair{whole_.results.at(i), results[i], what};
      const auto dimension = batch_dimension(pair, batch_, part.size);
      if (!dimension) continue;  // a sum over the batch
      has_part = true;
      const std::string mistake = difference(slice_of(pair, *dimension, part), results[i]);
      if (!mistake.empty()) return results.size() > 1 ? what + ": " + mistake : mistake;
    }
    if (!has_part) throw Unsupported("batch_invariant: no result grows with " + name_);
    return "";
  }

  const WholeBatch& whole_;
  std::string name_;
  std::int64_t batch_;
};

}  // namespace

std::string batch_dependence(const WholeBatch& whole, Device& device, const MakePart& make) {
  const std::string name = batch_param(whole.subject.params);
  if (name.empty()) return "";
  if (whole.workload.is_mutating())
    throw Unsupported("batch_invariant: a launch that changes its inputs cannot be compared");
  const auto batch = std::get<std::int64_t>(whole.subject.params.at(name));
  const Dependence dependence(whole, name, batch);
  for (const Part& part : parts_of(batch))
    if (std::string mistake = dependence.of(part, device, make); !mistake.empty()) return mistake;
  return "";
}

}  // namespace plumbline
