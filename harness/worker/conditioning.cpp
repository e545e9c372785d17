#include "worker/conditioning.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/library.h>

#include <algorithm>
#include <memory>

#include "device/random.h"

namespace plumbline {
namespace {

/// LibTorch's key for what is put around every operator, above autograd; nothing else uses it here.
constexpr c10::DispatchKey kKey = c10::DispatchKey::TESTING_ONLY_GenericMode;

/// Ordinary differences, of a dozen disturbed operators one after the other, in shares. Shares of
/// types of 16 bits are of the size of wrong results: there ordinary ones must give no slack. What
/// is beyond is multiplied for algorithms that lose more than the reference's (a variance as the
/// difference of two sums).
constexpr double kOrdinary = 1, kOrdinaryIfCoarse = 8;
constexpr double kCoarse = 1e-4;
constexpr double kBeyond = 64, kBeyondIfCoarse = 16;
/// Of all elements of a coarse result together, where the ordinary is the root of a third of the
/// operators: 2 of a dozen. What is beyond is multiplied by what LibTorch's gradients of
/// normalised rows of 2 and 3 elements showed.
constexpr double kOrdinaryTogether = 3, kBeyondTogether = 0.8;
constexpr std::int64_t kChunk = std::int64_t{1} << 25;

/// The disturbance at work, where LibTorch takes it along to the threads that compute gradients.
struct Disturbance final : c10::DebugInfoBase {
  double share = 0;
  std::uint64_t seed = 0, tensors = 0;
};
constexpr auto kCarriedAs = c10::DebugInfoKind::TEST_INFO;

/// In place, where the tensor is the operator's own: what autograd has kept of it for the gradient
/// is disturbed then as well, as it is where a type rounds it.
at::Tensor disturbed_tensor(const at::Tensor& tensor, bool is_own) {
  if (tensor.scalar_type() != at::kDouble || tensor.numel() == 0) return tensor;
  auto* const disturbance = static_cast<Disturbance*>(c10::ThreadLocalDebugInfo::get(kCarriedAs));
  if (disturbance == nullptr) return tensor;
  at::Generator generator = at::globalContext().defaultGenerator(tensor.device()).clone();
  generator.set_current_seed(random_bits(disturbance->seed, disturbance->tensors++));
  const double share = disturbance->share;
  const at::Tensor factor =
      at::empty_like(tensor.detach()).uniform_(1 - share, 1 + share, generator);
  if (!is_own || !tensor.is_non_overlapping_and_dense()) return tensor * factor;
  const at::AutoDispatchBelowADInplaceOrView as_storage;  // no step of the gradient, no new version
  return tensor.mul_(factor);
}

void add_tensors(const c10::IValue& value, std::vector<const void*>& storages) {
  const auto add = [&](const at::Tensor& tensor) {
    if (tensor.defined() && tensor.has_storage())
      storages.push_back(tensor.storage().unsafeGetStorageImpl());
  };
  if (value.isTensor()) add(value.toTensor());
  if (value.isTensorList())
    for (const at::Tensor& tensor : value.toTensorVector()) add(tensor);
}

/// Calls the operator and disturbs what it made: not what it returns of its arguments, which others
/// may write to, but for a copy of what detach() returns, by which exact() takes inputs.
void call_disturbed(const c10::OperatorHandle& handle, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard as_it_is(kKey);
  const auto arguments = std::ptrdiff_t(handle.schema().arguments().size());
  std::vector<const void*> storages;
  const bool is_detach = handle.schema().name() == "aten::detach";
  if (!is_detach)
    std::for_each(stack->end() - arguments, stack->end(),
                  [&](const c10::IValue& value) { add_tensors(value, storages); });
  handle.callBoxed(stack);
  const auto made = [&](const at::Tensor& tensor) {
    const bool is_new =
        tensor.defined() && tensor.has_storage() &&
        std::ranges::count(storages,
                           static_cast<const void*>(tensor.storage().unsafeGetStorageImpl())) == 0;
    return is_new ? disturbed_tensor(tensor, !is_detach) : tensor;
  };
  const auto results = std::ptrdiff_t(handle.schema().returns().size());
  for (auto value = stack->end() - results; value != stack->end(); ++value) {
    if (value->isTensor()) *value = made(value->toTensor());
    if (!value->isTensorList()) continue;
    std::vector<at::Tensor> tensors = value->toTensorVector();
    for (at::Tensor& tensor : tensors) tensor = made(tensor);
    *value = tensors;
  }
}

/// From the first call on; it is asked only where the key is included.
void put_around_operators() {
  static const auto kLibrary = [] {
    auto library =
        std::make_unique<torch::Library>(torch::Library::IMPL, "_", kKey, __FILE__, __LINE__);
    library->fallback(torch::CppFunction::makeFromBoxedFunction<&call_disturbed>());
    return library;
  }();
}

}  // namespace

Tensors disturbed(double share, std::uint64_t seed, const std::function<Tensors()>& reference) {
  put_around_operators();
  const auto disturbance = std::make_shared<Disturbance>();
  disturbance->share = share;
  disturbance->seed = seed;
  const c10::DebugInfoGuard carried(kCarriedAs, disturbance);
  const c10::impl::IncludeDispatchKeyGuard around(kKey);
  return reference();
}

void widen(const Tensors& expected, const Tensors& other, double share, Tensors& slack) {
  if (slack.empty()) slack.resize(expected.size());
  const bool is_coarse = share >= kCoarse;
  const double ordinary = share * (is_coarse ? kOrdinaryIfCoarse : kOrdinary);
  const double times = is_coarse ? kBeyondIfCoarse : kBeyond;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!at::isFloatingType(expected[i].scalar_type()) || expected[i].numel() == 0) continue;
    const at::Tensor flat = expected[i].reshape({-1}), off = other.at(i).reshape({-1});
    if (!slack[i].defined()) slack[i] = at::zeros_like(flat);
    const at::Tensor finite = at::where(at::isfinite(flat), flat, at::zeros_like(flat));
    const at::Tensor rms = (finite * finite).mean().sqrt();
    const at::Tensor together =
        at::where(at::isfinite(flat), off - flat, at::zeros_like(flat)).square().mean().sqrt();
    const at::Tensor beyond_together =
        is_coarse ? (together - kOrdinaryTogether * share * rms) * kBeyondTogether
                  : at::zeros_like(rms);
    for (std::int64_t begin = 0; begin < flat.numel(); begin += kChunk) {
      const auto piece = [&](const at::Tensor& tensor) {
        return tensor.slice(0, begin, std::min(begin + kChunk, tensor.numel()));
      };
      const at::Tensor beyond = at::maximum(
          (at::abs(piece(off) - piece(flat)) - ordinary * (at::abs(piece(finite)) + rms)) * times,
          beyond_together);
      at::Tensor room = piece(slack[i]);
      room.copy_(at::where(at::isfinite(beyond), at::maximum(room, beyond), room));
    }
  }
}

}  // namespace plumbline
