#include "backends/custom/custom_implementation.h"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <limits>
#include <memory>
#include <utility>

#include "backends/libtorch/libtorch.h"
#include "core/op/plan_choice.h"

namespace plumbline {
namespace {

constexpr int kTunedLaunches = 5;

Tensors allocated(const std::vector<KernelOutput>& specs, const at::TensorOptions& options) {
  Tensors tensors;
  for (const KernelOutput& spec : specs)
    tensors.push_back(at::empty(spec.shape, options.dtype(scalar_type(spec.dtype))));
  return tensors;
}

std::vector<void*> pointers_of(const Tensors& tensors) {
  std::vector<void*> pointers;
  for (const at::Tensor& tensor : tensors) pointers.push_back(tensor.mutable_data_ptr());
  return pointers;
}

/// Everything that the launches at one placement work on.
struct Bound {
  Problem problem;
  Tensors inputs, outputs, scratch;
  std::shared_ptr<const void> state;

  KernelCall call() const {
    KernelCall call{problem,
                    {},
                    pointers_of(outputs),
                    pointers_of(scratch),
                    c10::cuda::getCurrentCUDAStream(),
                    state.get()};
    for (const at::Tensor& input : inputs) call.inputs.push_back(input.const_data_ptr());
    return call;
  }

  void launch(const CustomKernel& kernel) const {
    kernel.launch(call());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  }
};

std::string listed(const std::vector<CustomKernel>& kernels) {
  std::string text;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(i) + " " + kernels[i].name;
  return text;
}

/// Seconds of the fastest launch, measured by events.
double least_s(const Bound& bound, const CustomKernel& kernel) {
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
  cudaEvent_t start = nullptr, stop = nullptr;
  C10_CUDA_CHECK(cudaEventCreate(&start));
  C10_CUDA_CHECK(cudaEventCreate(&stop));
  float least_ms = std::numeric_limits<float>::infinity();
  for (int i = 0; i < kTunedLaunches; ++i) {
    C10_CUDA_CHECK(cudaEventRecord(start, stream));
    bound.launch(kernel);
    C10_CUDA_CHECK(cudaEventRecord(stop, stream));
    C10_CUDA_CHECK(cudaEventSynchronize(stop));
    float ms = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    least_ms = std::min(least_ms, ms);
  }
  C10_CUDA_CHECK(cudaEventDestroy(start));
  C10_CUDA_CHECK(cudaEventDestroy(stop));
  return 1e-3 * double(least_ms);
}

std::size_t fastest(const Bound& bound, const std::vector<CustomKernel>& kernels) {
  std::size_t best = 0;
  double best_s = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (const double seconds = least_s(bound, kernels[i]); seconds < best_s) {
      best_s = seconds;
      best = i;
    }
  return best;
}

/// The last tuned case: a case is prepared at many placements.
struct Tuned {
  std::string case_id;
  std::size_t index = 0;
};

std::size_t chosen(const Bound& bound, const std::vector<CustomKernel>& kernels, Tuned& tuned) {
  const Case& subject = bound.problem.subject();
  const PlanChoice choice = plan_choice(subject.params);
  if (choice.kind == PlanChoice::Kind::heuristic) return 0;
  if (choice.kind == PlanChoice::Kind::index) {
    if (std::size_t(choice.index) >= kernels.size())
      throw Unsupported("plan=" + std::to_string(choice.index) + ": the custom kernels of " +
                        subject.op + " are " + listed(kernels));
    return std::size_t(choice.index);
  }
  if (tuned.case_id != subject.id) tuned = {subject.id, fastest(bound, kernels)};
  return tuned.index;
}

std::string record_of(const std::vector<CustomKernel>& kernels, std::size_t index) {
  return R"([{"plan": ")" + std::string(kernels[index].name) + R"(", "index": )" +
         std::to_string(index) + R"(, "candidates": )" + std::to_string(kernels.size()) + "}]";
}

Prepared prepared(const CustomKernels& kernels, const Problem& problem, const Operands& operands,
                  Tuned& tuned) {
  if (!operands.inputs.front().is_cuda())
    throw Unsupported("custom kernels run on NVIDIA GPUs only; --device cuda has one");
  const at::TensorOptions options = operands.inputs.front().options().requires_grad(false);
  const auto bound = std::make_shared<Bound>(Bound{problem, operands.inputs, {}, {}, {}});
  if (problem.is_backward()) bound->inputs.push_back(operands.output_gradient);
  const bool is_contiguous = std::ranges::all_of(
      bound->inputs, [](const at::Tensor& input) { return input.is_contiguous(); });
  for (at::Tensor& input : bound->inputs) input = input.detach().contiguous();
  bound->outputs = allocated(kernels.outputs(problem), options);
  if (kernels.scratch != nullptr) bound->scratch = allocated(kernels.scratch(problem), options);
  if (kernels.before != nullptr) kernels.before(bound->call());
  if (kernels.state != nullptr) bound->state = kernels.state(bound->call());
  const std::size_t index = chosen(*bound, kernels.kernels, tuned);
  return {
      .launch = [bound, kernel = kernels.kernels[index]] { bound->launch(kernel); },
      .results = [bound] { return bound->outputs; },
      .clear = [] {},
      .plan = record_of(kernels.kernels, index),
      .keeps_no_values = is_contiguous && kernels.before == nullptr && kernels.state == nullptr};
}

}  // namespace

Implementation custom_implementation(CustomKernels kernels) {
  return [kernels = std::move(kernels), tuned = std::make_shared<Tuned>()](
             const Problem& problem, const Operands& operands) {
    return prepared(kernels, problem, operands, *tuned);
  };
}

}  // namespace plumbline
