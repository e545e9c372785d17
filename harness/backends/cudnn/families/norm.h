/// Normalisations. They differ in cuDNN's names, in the dimensions that share a mean and in their
/// operands.
#pragma once

#include "backends/cudnn/cudnn.h"

namespace plumbline {

struct CudnnNorm {
  std::string forward, backward;                // cuDNN's operations
  bool is_centred = true;                       // has a mean and a bias
  bool has_phase = true;                        // may omit its statistics if nothing needs them
  at::Tensor (*images)(const at::Tensor&);      // x and y as cuDNN takes them
  at::Tensor (*parameters)(const at::Tensor&);  // weight and bias
  std::vector<std::int64_t> statistics;         // shape of mean and 1 / sigma, float32
};

/// Inputs: x, weight and, if centred, bias. The backward direction reads the statistics of a
/// forward pass that runs once, before it. Needs the parameter `eps`.
CudnnProgram cudnn_norm(const CudnnNorm& norm, const Problem& problem, const Operands& operands);

/// One value per channel as a tensor of the images' rank.
at::Tensor cudnn_per_channel(const at::Tensor& values);

}  // namespace plumbline
