#include "worker/session/numerics.h"

#include <ATen/Context.h>

#include <cstdlib>
#include <utility>

namespace plumbline {
namespace {

/// Rarely used switches that are not at their default. The others are omitted, so that the text
/// equals that of older runs, which did not record these switches.
std::string unusual_numerics(at::Context& context) {
  std::string text;
  if (context.allowBF16ReductionCuBLAS() !=
      at::CuBLASReductionOption::AllowReducedPrecisionWithSplitK)
    text += ", bf16 reduction off";
  if (const auto precision = context.float32MatmulPrecision();
      precision != at::Float32MatmulPrecision::HIGHEST)
    text += precision == at::Float32MatmulPrecision::HIGH ? ", float32 products high"
                                                          : ", float32 products medium";
  const std::pair<const char*, bool> attention[] = {
      {"flash", context.userEnabledFlashSDP()},
      {"efficient", context.userEnabledMemEfficientSDP()},
      {"math", context.userEnabledMathSDP()},
      {"cudnn", context.userEnabledCuDNNSDP()}};
  for (const auto& [name, is_enabled] : attention)
    if (!is_enabled) text += std::string(", attention by ") + name + " off";
  // cuBLAS and cuDNN read this themselves and override the program.
  if (const char* forced = std::getenv("NVIDIA_TF32_OVERRIDE"))
    text += std::string(", NVIDIA_TF32_OVERRIDE=") + forced;
  return text;
}

}  // namespace

std::string numerics_text() {
  at::Context& context = at::globalContext();
  const auto on = [](bool value) { return value ? "on" : "off"; };
  return std::string("tf32 off, cudnn.benchmark off, fp16 reduction ") +
         on(context.allowFP16ReductionCuBLAS() !=
                at::CuBLASReductionOption::DisallowReducedPrecisionDisallowSplitK &&
            context.allowFP16ReductionCuBLAS() !=
                at::CuBLASReductionOption::DisallowReducedPrecisionAllowSplitK) +
         ", deterministic " + on(context.deterministicAlgorithms()) +
         (context.blasPreferredBackend() == at::BlasBackend::Cublaslt ? ", BLAS cublaslt" : "") +
         unusual_numerics(context);
}

}  // namespace plumbline
