/// Quantiles of the standard normal distribution, from which random numbers of it are made alike on
/// every device: a logarithm or a cosine would differ in its last bit.
#pragma once

#include <array>

#include "device/random.h"

namespace plumbline {

/// The i-th is the quantile of i / kNormalCells; the outermost ones are -4.2 and 4.2, where the
/// cell next to them has the variance that the tail has.
const std::array<float, kNormalCells + 1>& normal_quantiles();

}  // namespace plumbline
