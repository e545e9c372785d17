/// Sums. cuDNN writes them only as float32: a result of another type needs a graph that converts.
#pragma once

#include <string>
#include <vector>

#include "backends/cudnn/graph/graph.h"

namespace plumbline::cudnn {

/// The tensor that a REDUCTION for `result` writes: the result itself if it is float32, else a
/// float32 tensor of its shape and strides.
at::Tensor reduced(const at::Tensor& result);

/// The graph that converts `sum`, made by reduced(), to `result`; none if they are the same tensor.
std::vector<Graph> converted(const std::string& name, const at::Tensor& sum,
                             const at::Tensor& result);

/// Graphs that sum `x` into `result` over the dimensions in which `result` has one element. Both
/// are channels-last.
std::vector<Graph> summed(const std::string& name, const at::Tensor& x, const at::Tensor& result);

}  // namespace plumbline::cudnn
