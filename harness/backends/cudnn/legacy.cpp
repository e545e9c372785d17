#include "backends/cudnn/legacy.h"

#include <ATen/cudnn/Handle.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>

namespace plumbline::cudnn {
namespace {

/// Status codes are grouped by kind in thousands.
constexpr int kKind = 1000, kNotSupported = CUDNN_STATUS_NOT_SUPPORTED / kKind;

std::string last_error() {
  std::array<char, 512> text{};
  cudnnGetLastErrorString(text.data(), text.size());
  return text.data();
}

}  // namespace

void require(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const std::string version = std::to_string(cudnnGetVersion() / 10000) + "." +
                              std::to_string(cudnnGetVersion() / 100 % 100) + "." +
                              std::to_string(cudnnGetVersion() % 100);
  const std::string said = last_error();
  const std::string message = "cuDNN " + version + ", " + call + ": " +
                              cudnnGetErrorString(status) + (said.empty() ? "" : "; " + said);
  if (status / kKind == kNotSupported) throw Unsupported(message);
  throw std::runtime_error(message);
}

void describe(const TensorDescriptor& descriptor, const at::Tensor& tensor) {
  const std::vector<int> dims(tensor.sizes().begin(), tensor.sizes().end());
  const std::vector<int> strides(tensor.strides().begin(), tensor.strides().end());
  require(cudnnSetTensorNdDescriptor(descriptor, data_type(tensor.scalar_type()), int(dims.size()),
                                     dims.data(), strides.data()),
          "cudnnSetTensorNdDescriptor");
}

cudnnDataType_t data_type(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return CUDNN_DATA_DOUBLE;
    case at::kFloat:
      return CUDNN_DATA_FLOAT;
    case at::kHalf:
      return CUDNN_DATA_HALF;
    case at::kBFloat16:
      return CUDNN_DATA_BFLOAT16;
    default:
      throw Unsupported("cuDNN's functions have no " + std::string(c10::toString(type)));
  }
}

cudnnHandle_t handle() { return at::native::getCudnnHandle(); }

at::Tensor memory(std::size_t bytes) {
  return at::empty({std::max<std::int64_t>(std::int64_t(bytes), 1)},
                   at::TensorOptions().dtype(at::kByte).device(at::kCUDA));
}

const void* factor(at::ScalarType type, bool is_one) {
  static constexpr float kFloats[] = {0, 1};
  static constexpr double kDoubles[] = {0, 1};
  return type == at::kDouble ? static_cast<const void*>(kDoubles + is_one) : kFloats + is_one;
}

void require_cuda(const Operands& operands) {
  if (!operands.inputs.front().is_cuda())
    throw Unsupported("cuDNN computes on NVIDIA GPUs only; --device cuda has one");
}

}  // namespace plumbline::cudnn
