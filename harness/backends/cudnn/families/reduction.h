/// Sums, of which cuDNN writes float32 alone: another type of result takes a graph that converts.
#pragma once

#include <string>
#include <vector>

#include "backends/cudnn/graph/graph.h"

namespace plumbline::cudnn {

/// Where a REDUCTION that is meant for `result` writes: the result itself where it is float32, else
/// a float32 tensor of its shape and strides.
at::Tensor reduced(const at::Tensor& result);

/// The graph that converts `sum`, of reduced(), to `result`; none where they are one.
std::vector<Graph> converted(const std::string& name, const at::Tensor& sum,
                             const at::Tensor& result);

/// Graphs that sum `x` into `result` over the dimensions in which that has one element. Both have
/// channels last.
std::vector<Graph> summed(const std::string& name, const at::Tensor& x, const at::Tensor& result);

}  // namespace plumbline::cudnn
