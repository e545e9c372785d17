#include "backends/libtorch/workspaces.h"

#include <ATen/cuda/CUDAContextLight.h>

namespace plumbline {

void drop_workspaces() { at::cuda::clearCublasWorkspaces(); }

}  // namespace plumbline
