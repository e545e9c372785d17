/// Quantiles of the standard normal distribution, from which random numbers of it are made alike on
/// every device: a logarithm or a cosine would differ in its last bit.
#pragma once

#include <array>

#include "device/random.h"

namespace plumbline {

/// The i-th is the quantile of i / kNormalCells; the outermost ones are -3.66 and 3.66.
const std::array<float, kNormalCells + 1>& normal_quantiles();

}  // namespace plumbline
