#include "backends/libtorch/applied_settings.h"

namespace plumbline {

AppliedSettings::AppliedSettings(const LibrarySettings& settings)
    : settings_(settings), blas_before_(at::globalContext().blasPreferredBackend()) {
  set(true);
}

AppliedSettings::~AppliedSettings() { set(false); }

void AppliedSettings::set(bool is_on) {
  at::Context& context = at::globalContext();
  if (settings_.tf32) {
    context.setAllowTF32CuBLAS(is_on);
    context.setAllowTF32CuDNN(is_on);
  }
  if (!settings_.reduced_reduction) {
    context.setAllowFP16ReductionCuBLAS(!is_on);
    context.setAllowBF16ReductionCuBLAS(!is_on);
  }
  if (settings_.blas != "default")
    context.setBlasPreferredBackend(!is_on                       ? blas_before_
                                    : settings_.blas == "cublas" ? at::BlasBackend::Cublas
                                                                 : at::BlasBackend::Cublaslt);
  if (settings_.cudnn_benchmark) context.setBenchmarkCuDNN(is_on);
  if (settings_.deterministic) {
    context.setDeterministicAlgorithms(is_on, /*warn_only=*/false);
    context.setDeterministicCuDNN(is_on);
    context.setDeterministicFillUninitializedMemory(!is_on);  // it would be timed
  }
  if (settings_.attention != "auto") {
    const std::string& kernel = settings_.attention;
    context.setSDPUseMath(!is_on || kernel == "math");
    context.setSDPUseFlash(!is_on || kernel == "flash");
    context.setSDPUseMemEfficient(!is_on || kernel == "efficient");
    context.setSDPUseCuDNN(!is_on || kernel == "cudnn");
  }
}

}  // namespace plumbline
