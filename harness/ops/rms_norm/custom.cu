#include "backends/custom/norm_kernels.cuh"

namespace plumbline {

CustomKernels rms_norm_custom() { return custom::NormKernels</*kIsCentred=*/false>::all(); }

}  // namespace plumbline
