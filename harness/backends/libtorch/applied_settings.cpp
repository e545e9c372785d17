#include "backends/libtorch/applied_settings.h"

#include <utility>

#include "backends/libtorch/libtorch.h"

namespace plumbline {
namespace {

Implementation under(const LibrarySettings& settings, const Implementation& implementation) {
  return [settings, implementation](const Problem& problem, const Operands& operands) {
    const AppliedSettings applied(settings);
    Prepared prepared = implementation(problem, operands);
    prepared.launch = [settings, launch = prepared.launch] {
      const AppliedSettings applied_again(settings);
      launch();
    };
    return prepared;
  };
}

}  // namespace

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
    context.setDeterministicFillUninitializedMemory(!is_on);  // filling would be timed
  }
  if (settings_.attention != "auto") {
    const std::string& kernel = settings_.attention;
    context.setSDPUseMath(!is_on || kernel == "math");
    context.setSDPUseFlash(!is_on || kernel == "flash");
    context.setSDPUseMemEfficient(!is_on || kernel == "efficient");
    context.setSDPUseCuDNN(!is_on || kernel == "cudnn");
  }
}

Implementation with_library_settings(Implementation implementation, bool is_tried) {
  return [implementation = std::move(implementation), is_tried](const Problem& problem,
                                                                const Operands& operands) {
    const LibrarySettings settings = library_settings(problem.subject().params);
    if (settings == LibrarySettings{}) return implementation(problem, operands);
    const Implementation set = under(settings, implementation);
    return is_tried ? where_libtorch_can(set)(problem, operands) : set(problem, operands);
  };
}

}  // namespace plumbline
