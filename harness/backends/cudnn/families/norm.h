/// Normalisations, which differ in cuDNN's names for them, in what shares a mean and in the
/// operands that they have.
#pragma once

#include "backends/cudnn/cudnn.h"

namespace plumbline {

struct CudnnNorm {
  std::string forward, backward;  // cuDNN's operations
  bool is_centred = true;         // has a mean and a bias
  bool has_phase = true;          // may leave its statistics out where they are not needed
  at::Tensor (*images)(const at::Tensor&);      // x and y as cuDNN takes them
  at::Tensor (*parameters)(const at::Tensor&);  // weight and bias
  std::vector<std::int64_t> statistics;         // shape of mean and 1 / sigma, float32
};

/// Inputs: x, weight and, where centred, bias. The backward direction reads the statistics of a
/// forward pass that runs once, before. Needs the parameter `eps`.
CudnnProgram cudnn_norm(const CudnnNorm& norm, const Problem& problem, const Operands& operands);

/// One value per channel as a tensor of the images' rank.
at::Tensor cudnn_per_channel(const at::Tensor& values);

}  // namespace plumbline
