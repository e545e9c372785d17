/// The settings of adamw's step: PyTorch's defaults except for the learning rate. It is large, so
/// that a mistake in the step exceeds the rounding of 16-bit parameters.
#pragma once

namespace plumbline {

struct AdamwSettings {
  double learning_rate = 0.1, beta1 = 0.9, beta2 = 0.999, weight_decay = 0.01, eps = 1e-8;
  double step = 10;
};

}  // namespace plumbline
