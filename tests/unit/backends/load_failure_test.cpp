#include "backends/kernel/load_failure.h"

#include <gtest/gtest.h>

#include "backends/implementation.h"
#include "core/error.h"

namespace plumbline {
namespace {

/// "unsupported: …", "error: …" or "".
std::string thrown(cudaError_t code, const std::string& log = "") {
  try {
    throw_load_failure(code, "k.ptx", log);
    return "";
  } catch (const Unsupported& reason) {
    return std::string("unsupported: ") + reason.what();
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
}

TEST(LoadFailure, AnImageOfAnotherGpuOrDriverIsUnsupported) {
  EXPECT_EQ(thrown(cudaErrorNoKernelImageForDevice), "unsupported: k.ptx has no code for this GPU");
  EXPECT_EQ(thrown(cudaErrorUnsupportedPtxVersion, "ptxas: version 99.9"),
            "unsupported: k.ptx is of a PTX version that this driver does not know:\n"
            "ptxas: version 99.9");
  EXPECT_EQ(thrown(cudaErrorJitCompilerNotFound).substr(0, 12), "unsupported:");
}

TEST(LoadFailure, ABrokenImageIsAMistakeWithWhatTheAssemblerSaid) {
  EXPECT_EQ(thrown(cudaErrorInvalidPtx, "line 3; error"),
            "error: k.ptx cannot be assembled by the driver:\nline 3; error");
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
