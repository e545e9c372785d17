#include "backends/kernel/load_failure.h"

#include <gtest/gtest.h>

#include "backends/implementation.h"
#include "core/error.h"

namespace plumbline {
namespace {

/// "unsupported: …", "error: …" or "".
std::string thrown(cudaError_t code) {
  try {
    throw_load_failure(code, "k.ptx");
    return "";
  } catch (const Unsupported& reason) {
    return std::string("unsupported: ") + reason.what();
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
}

TEST(LoadFailure, AnImageOfAnotherGpuOrDriverIsUnsupported) {
  EXPECT_EQ(thrown(cudaErrorNoKernelImageForDevice), "unsupported: k.ptx has no code for this GPU");
  EXPECT_EQ(thrown(cudaErrorUnsupportedPtxVersion),
            "unsupported: k.ptx is of a PTX version that this driver does not know");
  EXPECT_EQ(thrown(cudaErrorJitCompilerNotFound).substr(0, 12), "unsupported:");
}

TEST(LoadFailure, ABrokenImageIsAMistake) {
  EXPECT_EQ(thrown(cudaErrorInvalidPtx), "error: k.ptx cannot be assembled by the driver");
  EXPECT_EQ(thrown(cudaErrorInvalidKernelImage),
            "error: k.ptx is no image that the driver can load");
}

TEST(LoadFailure, WhatTheDeviceIsAtFaultForIsLeftToTheCaller) {
  for (const cudaError_t code : {cudaSuccess, cudaErrorMemoryAllocation, cudaErrorIllegalAddress,
                                 cudaErrorSymbolNotFound, cudaErrorInsufficientDriver})
    EXPECT_EQ(thrown(code), "") << code;
}

}  // namespace
}  // namespace plumbline
