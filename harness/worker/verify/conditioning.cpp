#include "worker/verify/conditioning.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/library.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "device/random.h"

namespace plumbline {
namespace {

/// LibTorch's key for a wrapper around every operator, above autograd; nothing else uses it here.
constexpr c10::DispatchKey kKey = c10::DispatchKey::TESTING_ONLY_GenericMode;

/// Ordinary differences, in shares, after about a dozen disturbed operators. Shares of 16-bit types
/// are as large as errors of wrong results: there, ordinary differences must give no slack. The
/// excess is multiplied for algorithms that lose more than the reference's (such as a variance as
/// the difference of two sums).
constexpr double kOrdinary = 1, kOrdinaryIfCoarse = 8;
constexpr double kCoarse = 1e-4;
constexpr double kBeyond = 64, kBeyondIfCoarse = 16;
/// For all elements of a coarse result together, the ordinary is the root of a third of the
/// operators: 2 for a dozen. The factor for the excess comes from LibTorch's gradients of
/// normalised rows of 2 and 3 elements.
constexpr double kOrdinaryTogether = 3, kBeyondTogether = 0.8;
constexpr std::int64_t kChunk = std::int64_t{1} << 25;

/// The active disturbance; LibTorch passes it on to the threads that compute gradients.
struct Disturbance final : c10::DebugInfoBase {
  double share = 0;
  std::uint64_t seed = 0, tensors = 0;
};
/// A function, because it is an enumerator until LibTorch 2.11 and an object in 2.15.
auto carried_as() { return c10::DebugInfoKind::TEST_INFO; }

/// In place if the operator owns the tensor: then autograd's saved copy for the gradient is
/// disturbed too, as if a type had rounded it.
at::Tensor disturbed_tensor(const at::Tensor& tensor, bool is_own) {
  if (tensor.scalar_type() != at::kDouble || tensor.numel() == 0) return tensor;
  auto* const disturbance = static_cast<Disturbance*>(c10::ThreadLocalDebugInfo::get(carried_as()));
  if (disturbance == nullptr) return tensor;
  at::Generator generator = at::globalContext().defaultGenerator(tensor.device()).clone();
  generator.set_current_seed(random_bits(disturbance->seed, disturbance->tensors++));
  const double share = disturbance->share;
  const at::Tensor factor =
      at::empty_like(tensor.detach()).uniform_(1 - share, 1 + share, generator);
  if (!is_own || !tensor.is_non_overlapping_and_dense()) return tensor * factor;
  const at::AutoDispatchBelowADInplaceOrView as_storage;  // adds no gradient step and no version
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

/// Calls the operator and disturbs the tensors that it made, but not arguments that it returns,
/// which others may write to. Exception: it disturbs a copy of detach()'s result, through which
/// exact() takes inputs.
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

/// Registered at the first call; only called while the key is included.
void put_around_operators() {
  static const auto kLibrary = [] {
    auto library =
        std::make_unique<torch::Library>(torch::Library::IMPL, "_", kKey, __FILE__, __LINE__);
    library->fallback(torch::CppFunction::makeFromBoxedFunction<&call_disturbed>());
    return library;
  }();
}

/// A result's elements, flat, with those of the disturbed reference.
struct Compared {
  at::Tensor expected, other, rms;
  double share;

  Compared(const at::Tensor& of_expected, const at::Tensor& of_other, double of_share)
      : expected(of_expected.reshape({-1})), other(of_other.reshape({-1})), share(of_share) {
    const at::Tensor finite = finite_of(expected);
    rms = (finite * finite).mean().sqrt();
  }
  bool is_coarse() const { return share >= kCoarse; }
  std::int64_t end(std::int64_t begin) const { return std::min(begin + kChunk, expected.numel()); }

  static at::Tensor finite_of(const at::Tensor& tensor) {
    return at::where(at::isfinite(tensor), tensor, at::zeros_like(tensor));
  }
  /// For the elements from `begin` on: their differences, and the ordinary ones.
  std::pair<at::Tensor, at::Tensor> off_and_ordinary(std::int64_t begin) const {
    const at::Tensor piece = expected.slice(0, begin, end(begin));
    const at::Tensor off = at::abs(other.slice(0, begin, end(begin)) - piece);
    const double ordinary = share * (is_coarse() ? kOrdinaryIfCoarse : kOrdinary);
    return {off, ordinary * (at::abs(finite_of(piece)) + rms)};
  }
};

/// Slack for all elements alike. Differences far beyond the ordinary count as twice the ordinary:
/// if a few elements take a step the other way, that says nothing about the others.
at::Tensor slack_together(const Compared& compared) {
  at::Tensor squares = at::zeros_like(compared.rms);
  if (!compared.is_coarse()) return squares;
  for (std::int64_t i = 0; i < compared.expected.numel(); i += kChunk) {
    const auto [off, ordinary] = compared.off_and_ordinary(i);
    squares += at::minimum(off, 2 * ordinary).nan_to_num(0, 0, 0).square().sum();
  }
  const at::Tensor off = (squares / double(compared.expected.numel())).sqrt();
  return (off - kOrdinaryTogether * compared.share * compared.rms) * kBeyondTogether;
}

}  // namespace

Tensors disturbed(double share, std::uint64_t seed, const std::function<Tensors()>& reference) {
  put_around_operators();
  const auto disturbance = std::make_shared<Disturbance>();
  disturbance->share = share;
  disturbance->seed = seed;
  const c10::DebugInfoGuard carried(carried_as(), disturbance);
  const c10::impl::IncludeDispatchKeyGuard around(kKey);
  return reference();
}

void widen(const Tensors& expected, const Tensors& other, double share, Tensors& slack) {
  if (slack.empty()) slack.resize(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!at::isFloatingType(expected[i].scalar_type()) || expected[i].numel() == 0) continue;
    const Compared compared(expected[i], other.at(i), share);
    if (!slack[i].defined()) slack[i] = at::zeros_like(compared.expected);
    const at::Tensor together = slack_together(compared);
    const double times = compared.is_coarse() ? kBeyondIfCoarse : kBeyond;
    for (std::int64_t begin = 0; begin < compared.expected.numel(); begin += kChunk) {
      const auto [off, ordinary] = compared.off_and_ordinary(begin);
      const at::Tensor beyond = at::maximum((off - ordinary) * times, together);
      at::Tensor room = slack[i].slice(0, begin, compared.end(begin));
      room.copy_(at::where(at::isfinite(beyond), at::maximum(room, beyond), room));
    }
  }
}

}  // namespace plumbline
