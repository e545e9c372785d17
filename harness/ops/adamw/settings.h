/// The settings of adamw's step and the order of its tensors. Settings are PyTorch's defaults
/// except for the learning rate. It is large, so that a mistake in the step exceeds the rounding of
/// 16-bit parameters.
#pragma once

#include <cstddef>

namespace plumbline {

struct AdamwSettings {
  double learning_rate = 0.1, beta1 = 0.9, beta2 = 0.999, weight_decay = 0.01, eps = 1e-8;
  double step = 10;
};

/// Inputs: parameters, gradients, first moments, second moments, step numbers. A launch changes the
/// parameters and both moments.
inline constexpr std::size_t kAdamwGroups = 5, kAdamwResults = 3;

}  // namespace plumbline
