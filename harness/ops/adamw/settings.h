/// What a step of adamw is taken with: PyTorch's defaults except for the learning rate, which is
/// large so that a mistake in the step shows beside the parameters' rounding in 16 bits.
#pragma once

namespace plumbline {

struct AdamwSettings {
  double learning_rate = 0.1, beta1 = 0.9, beta2 = 0.999, weight_decay = 0.01, eps = 1e-8;
  double step = 10;
};

}  // namespace plumbline
