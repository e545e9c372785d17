#include "backends/kernel/load_failure.h"

#include "backends/implementation.h"
#include "core/error.h"

namespace plumbline {

void throw_load_failure(cudaError_t code, const std::string& name, const std::string& log) {
  const std::string said = log.empty() ? "" : ":\n" + log;
  switch (code) {
    case cudaErrorNoKernelImageForDevice:
      throw Unsupported(name + " has no code for this GPU" + said);
    case cudaErrorUnsupportedPtxVersion:
      throw Unsupported(name + " is of a PTX version that this driver does not know" + said);
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
      throw Unsupported(name + " is PTX, which this driver does not assemble" + said);
    case cudaErrorInvalidPtx:
      throw Error(name + " cannot be assembled by the driver" + said);
    case cudaErrorInvalidKernelImage:
    case cudaErrorInvalidSource:
      throw Error(name + " is no image that the driver can load" + said);
    default:
      return;
  }
}

}  // namespace plumbline
