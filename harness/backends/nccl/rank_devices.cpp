#include "backends/nccl/rank_devices.h"

#include <c10/cuda/CUDAFunctions.h>

namespace plumbline {

at::Device device_of_rank(int rank) {
  const int own = c10::cuda::current_device();
  return {at::kCUDA, c10::DeviceIndex((own + rank) % c10::cuda::device_count())};
}

}  // namespace plumbline
