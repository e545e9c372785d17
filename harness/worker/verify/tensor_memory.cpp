#include "worker/verify/tensor_memory.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "backends/libtorch/libtorch.h"
#include "device/random.h"
#include "worker/verify/visit_failure.h"

namespace plumbline {
namespace {

constexpr std::uintptr_t kAlignment = 16;  // for reads by digests

bool has_memory(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == at::kStrided && tensor.has_storage() &&
         tensor.storage().nbytes() > 0;
}

/// A GPU's device cannot write to host memory, nor a CPU's to GPU memory.
bool is_of(const Device& device, const at::Tensor& tensor) {
  return tensor.is_cuda() == device.is_cuda();
}

at::Tensor dense(const Device& device, const at::Tensor& tensor) {
  const at::Tensor exact = tensor.resolve_conj().resolve_neg();
  const at::Tensor here =
      is_of(device, exact) ? exact : exact.to(device.is_cuda() ? at::kCUDA : at::kCPU);
  const bool is_readable =
      here.is_non_overlapping_and_dense() &&
      reinterpret_cast<std::uintptr_t>(here.const_data_ptr()) % kAlignment == 0;
  if (is_readable) return here;
  return here.is_contiguous() ? here.clone() : here.contiguous();
}

/// Counts holders of the results' memory: the results themselves and the tensors whose views they
/// are, according to LibTorch. All other holders are the implementation's.
class Holders {
 public:
  explicit Holders(const LaunchResults& results) : handles_(results.handles) {
    for (const at::Tensor& result : results.tensors) {
      if (!has_memory(result)) continue;
      auto& sharing = sharing_[result.storage().unsafeGetStorageImpl()];
      sharing.insert(result.unsafeGetTensorImpl());
      if (++times_[result.unsafeGetTensorImpl()] > 1 || !result.is_view()) continue;
      sharing.insert(result._base().unsafeGetTensorImpl());
      ++views_[result._base().unsafeGetTensorImpl()];
    }
  }

  bool has_others(const at::Tensor& result) const {
    const c10::Storage& storage = result.storage();
    if (storage.use_count() > sharing_.at(storage.unsafeGetStorageImpl()).size()) return true;
    if (handles_ == 0) return false;
    if (result.use_count() > handles_ * times_.at(result.unsafeGetTensorImpl())) return true;
    if (!result.is_view()) return false;
    const at::TensorImpl* const base = result._base().unsafeGetTensorImpl();
    const bool is_result = times_.contains(base);
    return !is_result && result._base().use_count() > views_.at(base);
  }

 private:
  std::size_t handles_;
  std::map<const c10::StorageImpl*, std::set<const c10::TensorImpl*>> sharing_;
  std::map<const c10::TensorImpl*, std::size_t> times_;  // how often a tensor is among the results
  std::map<const c10::TensorImpl*, std::size_t> views_;  // views of a tensor among the results
};

/// The elements, each once: an expanded dimension, which repeats them, has length one.
at::Tensor distinct(at::Tensor tensor) {
  for (std::int64_t i = 0; i < tensor.dim(); ++i)
    if (tensor.stride(i) == 0 && tensor.size(i) > 1) tensor = tensor.narrow(i, 0, 1);
  return tensor;
}

}  // namespace

std::vector<MemorySpan> own_memory(const Device& device, const LaunchResults& results,
                                   const Tensors& inputs) {
  std::set<const void*> of_inputs;
  for (const at::Tensor& input : inputs)
    if (has_memory(input)) of_inputs.insert(input.storage().data());
  const Holders holders(results);
  std::vector<MemorySpan> spans;
  std::set<const c10::StorageImpl*> taken;
  for (const at::Tensor& result : results.tensors) {
    if (!has_memory(result) || !is_of(device, result) || holders.has_others(result)) continue;
    const c10::Storage& storage = result.storage();
    if (!of_inputs.contains(storage.data()) && taken.insert(storage.unsafeGetStorageImpl()).second)
      spans.push_back({storage.mutable_data(), storage.nbytes()});
  }
  return spans;
}

void poison_memory(Device& device, const std::vector<MemorySpan>& spans) {
  if (!spans.empty()) device.poison(spans);
}

NearValues::NearValues(const Tensors& tensors, std::uint64_t seed, bool is_other)
    : is_other_(is_other) {
  constexpr double kSmaller = 1 - 1.0 / 64;  // exact in every type
  const at::NoGradGuard no_grad;
  for (const at::Tensor& tensor : tensors) {
    const bool is_real = at::isFloatingType(tensor.scalar_type()) && tensor.element_size() > 1;
    const bool is_whole = at::isIntegralType(tensor.scalar_type(), false);
    if (!has_memory(tensor) || tensor.numel() == 0 || !(is_real || is_whole)) continue;
    const at::Tensor values = distinct(tensor.variable_data());  // has its own version
    const at::Tensor size = is_real ? at::abs(values) : values;
    const at::Tensor flat = size.reshape({-1});
    // The largest of three numbers: most of the others are below it.
    at::Tensor bound = flat[0];
    for (std::uint64_t i = 0; i < 3; ++i)
      bound = at::maximum(bound,
                          flat[std::int64_t(random_bits(seed, i) % std::uint64_t(flat.numel()))]);
    // Where most numbers are 0, half of the largest: else no number would change.
    if (is_real) bound = at::where(bound > 0, bound, size.max() / 2);
    const at::Tensor is_below =
        is_real ? size <= bound : (size <= bound) & (size > size.min().clamp_min(0));
    tensors_.push_back(tensor);
    values_.push_back(at::where(
        is_below,
        is_real ? values * (is_other ? kSmaller : 1.0) : values - std::int64_t(is_other ? 1 : 0),
        values));
  }
}

void NearValues::put(bool tells) {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    distinct(tensors_[i].variable_data()).copy_(values_[i]);
    if (is_other_ && tells) has_other_values(tensors_[i]);
  }
}

void digest_memory(Device& device, const Tensors& tensors) {
  Tensors held;  // until the device knows it
  std::vector<MemorySpan> spans;
  for (const at::Tensor& tensor : tensors) {
    if (!has_memory(tensor) || tensor.numel() == 0) continue;
    held.push_back(dense(device, tensor));
    spans.push_back({const_cast<void*>(held.back().const_data_ptr()), held.back().nbytes()});
  }
  device.digest(spans);
}

Digest digest_of(Device& device, const Tensors& tensors) {
  digest_memory(device, tensors);
  return device.take_digests().back();
}

void require_complete(Device& device, const Tensors& results, const Digest& seen) {
  constexpr double kPatience_s = 0.05;  // a thread needs some time
  const double until_s = device.now_s() + kPatience_s;
  do {
    if (digest_of(device, results) != seen)
      throw VisitFailure{Status::wrong, std::string(kLateResults)};
  } while (device.now_s() < until_s);
}

void require_complete(Device& device, const std::function<Tensors()>& launch) {
  constexpr int kLaunches = 4;
  for (int i = 0; i < kLaunches; ++i) {
    const Tensors results = launch();
    require_complete(device, results, digest_of(device, results));
  }
}

}  // namespace plumbline
