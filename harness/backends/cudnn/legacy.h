/// cuDNN's functions outside its graphs that are still supported: what softmax, recurrent networks
/// and CTC loss share.
///
/// Includes cuDNN's headers. Knows no op. https://docs.nvidia.com/deeplearning/cudnn/backend
#pragma once

#include <cudnn.h>

#include "backends/implementation.h"

namespace plumbline::cudnn {

/// Throws Unsupported with cuDNN's message for what it does not support, std::runtime_error for any
/// other failure. `call`: name of the function.
void require(cudnnStatus_t status, const char* call);

/// Owns an object of cuDNN by its handle.
template <class Handle, cudnnStatus_t (*create)(Handle*), cudnnStatus_t (*destroy)(Handle)>
class Descriptor {
 public:
  Descriptor() { require(create(&handle_), "creating a descriptor"); }
  ~Descriptor() { destroy(handle_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator Handle() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};

using TensorDescriptor =
    Descriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;

/// Sets shape and strides of a tensor with three dimensions or more.
void describe(const TensorDescriptor& descriptor, const at::Tensor& tensor);

/// Throws Unsupported for a type that cuDNN does not have.
cudnnDataType_t data_type(at::ScalarType type);

/// LibTorch's handle, set to its current stream.
cudnnHandle_t handle();

/// A tensor of device memory; at least one byte.
at::Tensor memory(std::size_t bytes);

/// 0 or 1 as a scaling factor for results of that type.
const void* factor(at::ScalarType type, bool is_one);

/// Throws Unsupported for tensors that are not on a CUDA device.
void require_cuda(const Operands& operands);

}  // namespace plumbline::cudnn
