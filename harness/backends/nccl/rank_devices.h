/// Which GPU a rank has.
#pragma once

#include <c10/core/Device.h>

namespace plumbline {

/// Rank 0 has LibTorch's current GPU, rank r the r-th after it; after the machine's last comes its
/// first.
at::Device device_of_rank(int rank);

}  // namespace plumbline
