/// Quantiles of the standard normal distribution. Random numbers made from them are the same on
/// every device; a logarithm or a cosine would differ in the last bit.
#pragma once

#include <array>

#include "device/random.h"

namespace plumbline {

/// Element i is the quantile of i / kNormalCells; the outermost ones are -3.66 and 3.66.
const std::array<float, kNormalCells + 1>& normal_quantiles();

}  // namespace plumbline
