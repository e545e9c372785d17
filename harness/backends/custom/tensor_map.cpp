#include "backends/custom/tensor_map.h"

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <array>
#include <stdexcept>
#include <string>

namespace plumbline::custom {
namespace {

/// Found through the CUDA run time, so that the worker starts without a driver.
PFN_cuTensorMapEncodeTiled_v12000 encoder() {
  static const auto kEncode = [] {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t code = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry,
                                                              12000, cudaEnableDefault, &found);
    if (code != cudaSuccess || found != cudaDriverEntryPointSuccess || entry == nullptr)
      throw std::runtime_error("the driver has no cuTensorMapEncodeTiled; CUDA 12 has");
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(entry);
  }();
  return kEncode;
}

}  // namespace

CUtensorMap tensor_map(const void* data, DType dtype, std::int64_t rows, std::int64_t cols,
                       int box_rows) {
  CUtensorMap map{};
  const std::array<cuuint64_t, 2> sizes{cuuint64_t(cols), cuuint64_t(rows)};
  const std::array<cuuint64_t, 1> strides{cuuint64_t(cols) * 2};
  const std::array<cuuint32_t, 2> box{cuuint32_t(kBoxCols), cuuint32_t(box_rows)};
  const std::array<cuuint32_t, 2> steps{1, 1};
  const CUresult code = encoder()(
      &map,
      dtype == DType::bfloat16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
      2, const_cast<void*>(data), sizes.data(), strides.data(), box.data(), steps.data(),
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (code != CUDA_SUCCESS)
    throw std::runtime_error("cuTensorMapEncodeTiled failed with code " +
                             std::to_string(int(code)));
  return map;
}

}  // namespace plumbline::custom
