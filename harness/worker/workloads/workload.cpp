#include "worker/workloads/workload.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <new>

#include "backends/libtorch/libtorch.h"
#include "backends/nccl/rank_devices.h"
#include "device/random.h"
#include "worker/workloads/workloads.h"

namespace plumbline {

Tensors in_float64(const std::function<Tensors()>& compute) {
  constexpr const char* kWhose = "the float64 reference: ";
  try {
    return compute();
  } catch (const c10::OutOfMemoryError& reason) {
    TORCH_CHECK_WITH(OutOfMemoryError, false, kWhose, reason.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    TORCH_CHECK_WITH(OutOfMemoryError, false, kWhose, "the host has no memory left");
  }
}

std::int64_t other_seed(std::int64_t run_seed) {
  return std::int64_t(stable_hash("other inputs", std::uint64_t(run_seed)) >> 1);
}

std::int64_t contents_seed(std::int64_t run_seed, std::uint64_t draw, std::uint64_t contents) {
  return std::int64_t(random_bits(random_bits(draw, std::uint64_t(run_seed)), contents) >> 1);
}

CacheBits reference_key(const Case& subject, std::int64_t run_seed) {
  return cache_bits(subject.op + '\n' + subject.revision + '\n' +
                    problem_text(subject, static_cast<std::uint64_t>(run_seed)));
}

std::unique_ptr<Workload> make_workload(const Case& subject, Device& device, bool is_cuda,
                                        std::int64_t run_seed) {
  const std::uint64_t seed = problem_seed(subject, static_cast<std::uint64_t>(run_seed));
  if (!subject.declaration) return catalogue_workload(subject, device, is_cuda, seed);
  if (!subject.declaration->graph.empty()) return graph_workload(subject, device, is_cuda, seed);
  if (subject.declaration->python) return python_workload(subject, device, is_cuda, seed);
  if (subject.declaration->network) return saved_network_workload(subject, device, is_cuda, seed);
  const bool is_custom = subject.declaration->kernel || subject.declaration->plugin;
  return is_custom ? custom_workload(subject, device, is_cuda, seed)
                   : declared_workload(subject, device, is_cuda, seed);
}

at::Tensor make_tensor(Device& device, bool is_cuda, const std::vector<std::int64_t>& shape,
                       DType dtype, const Distribution& distribution, bool is_channels_last,
                       std::uint64_t seed, int rank) {
  const auto options = at::TensorOptions()
                           .dtype(scalar_type(dtype))
                           .device(is_cuda ? device_of_rank(rank) : at::kCPU);
  at::Tensor tensor =
      at::empty(shape, options,
                is_channels_last ? std::optional(at::MemoryFormat::ChannelsLast) : std::nullopt);
  device.fill({tensor.data_ptr(), dtype, tensor.numel()}, seed, distribution);
  return tensor;
}

}  // namespace plumbline
