#include "backends/kernel/load_failure.h"

#include "backends/implementation.h"
#include "core/error.h"

namespace plumbline {

void throw_load_failure(cudaError_t code, const std::string& name) {
  switch (code) {
    case cudaErrorNoKernelImageForDevice:
      throw Unsupported(name + " has no code for this GPU");
    case cudaErrorUnsupportedPtxVersion:
      throw Unsupported(name + " is of a PTX version that this driver does not know");
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
      throw Unsupported(name + " is PTX, which this driver does not assemble");
    case cudaErrorInvalidPtx:
      throw Error(name + " cannot be assembled by the driver");
    case cudaErrorInvalidKernelImage:
    case cudaErrorInvalidSource:
      throw Error(name + " is no image that the driver can load");
    default:
      return;
  }
}

}  // namespace plumbline
