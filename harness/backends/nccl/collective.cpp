#include "backends/nccl/collective.h"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "backends/libtorch/libtorch.h"
#include "backends/nccl/captured_group.h"
#include "backends/nccl/communicators.h"
#include "backends/nccl/rank_devices.h"
#include "backends/nccl/version.h"
#include "core/op/ranks.h"
#include "device/cuda/kernels.h"

namespace plumbline::nccl {
namespace {

/// What a launch is bound to at one placement.
struct Bound {
  Problem problem;
  Collective collective;
  Tensors inputs, outputs;
  std::vector<ncclComm_t> comms;

  RankCall call(int rank) const {
    const auto i = std::size_t(rank);
    return {.rank = rank,
            .ranks = int(comms.size()),
            .input = i < inputs.size() ? inputs[i].const_data_ptr() : nullptr,
            .output = outputs[i].mutable_data_ptr(),
            .type = type_of(problem.dtype()),
            .comm = comms[i],
            .stream = c10::cuda::getCurrentCUDAStream(outputs[i].device().index())};
  }

  std::vector<cudaStream_t> streams() const {
    std::vector<cudaStream_t> streams;
    for (int rank = 0; rank < int(comms.size()); ++rank) streams.push_back(call(rank).stream);
    return streams;
  }

  void launch() {
    on_each_rank(collective.before);
    group();
    on_each_rank(collective.after);
  }

  void on_each_rank(const RankStep& step) {
    if (!step) return;
    for (int rank = 0; rank < int(comms.size()); ++rank) {
      const c10::cuda::CUDAGuard there(outputs[std::size_t(rank)].device());
      step(problem, rank, inputs, outputs);
    }
  }

  void group() const {
    check(ncclGroupStart(), "ncclGroupStart");
    try {
      for (int rank = 0; rank < int(comms.size()); ++rank) collective.enqueue(problem, call(rank));
    } catch (...) {
      ncclGroupEnd();  // an open group would hold back all later calls
      throw;
    }
    const ncclResult_t code = ncclGroupEnd();
    // After a failure NCCL leaves another GPU the current one.
    if (code != ncclSuccess) cudaSetDevice(outputs.front().device().index());
    check(code, collective.name);
  }
};

bool is_in_place(const Bound& bound, const at::Tensor& output) {
  return std::ranges::any_of(bound.inputs,
                             [&](const at::Tensor& input) { return output.is_alias_of(input); });
}

/// The ranks connect now: NCCL does that at the first launch. Results are spoiled afterwards; in
/// place, inputs are put back.
void connect(Bound& bound) {
  Tensors kept;
  for (const at::Tensor& input : bound.inputs) kept.push_back(input.clone());
  bound.launch();
  for (std::size_t i = 0; i < kept.size(); ++i) bound.inputs[i].copy_(kept[i]);
  for (const at::Tensor& output : bound.outputs)
    if (!is_in_place(bound, output)) output.fill_(std::numeric_limits<double>::quiet_NaN());
  for (const cudaStream_t stream : bound.streams())
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

std::string plan_of(const Choice& choice, bool is_graph) {
  const std::string words = "NCCL " + version() + ", " + std::to_string(choice.ranks) +
                            " ranks in one process, algorithm " + choice.algorithm + ", protocol " +
                            choice.protocol + ", without NVLS" +
                            (is_graph ? ", in one CUDA graph" : "");
  return nlohmann::json::array({{{"graph", "collective"}, {"plan", words}}}).dump();
}

}  // namespace

Implementation implementation(Collective collective) {
  return [collective = std::move(collective)](const Problem& problem, const Operands& operands) {
    if (!operands.inputs.front().is_cuda())
      throw Unsupported("NCCL's ranks are GPUs; --device cuda has them");
    const Choice choice{ranks_of(problem.subject().params), problem.text("algorithm"),
                        problem.text("protocol")};
    auto bound = std::make_shared<Bound>(Bound{problem, collective, operands.inputs,
                                               collective.outputs(problem, operands.inputs),
                                               communicators(choice)});
    Launch launch = [bound] { bound->launch(); };
    const bool is_graph = problem.flag("graph");
    if (is_graph) {
      connect(*bound);
      const auto graph = std::make_shared<CapturedGroup>(bound->streams(), launch);
      launch = [bound, graph] { graph->launch(); };
    }
    return Prepared{.launch = launch,
                    .results = [bound] { return bound->outputs; },
                    .clear = [] {},
                    .plan = plan_of(choice, is_graph),
                    .result_handles = 2,
                    .keeps_no_values = true};
  };
}

ncclDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return ncclFloat64;
    case DType::float32:
      return ncclFloat32;
    case DType::float16:
      return ncclFloat16;
    case DType::bfloat16:
      return ncclBfloat16;
    default:
      throw Unsupported("NCCL's ops of this build have no such type");
  }
}

Tensors on_each_rank(const Problem& problem, std::int64_t elements) {
  Tensors tensors;
  for (int rank = 0; rank < ranks_of(problem.subject().params); ++rank)
    tensors.push_back(at::empty(
        {elements},
        at::TensorOptions().dtype(scalar_type(problem.dtype())).device(device_of_rank(rank))));
  return tensors;
}

}  // namespace plumbline::nccl
