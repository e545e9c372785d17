/// What every cuDNN implementation shares: from a description in graphs to a launch.
///
/// An op's cudnn.cpp describes; nothing of it is compiled against cuDNN. One cuDNN per process: the
/// library and the handle are LibTorch's.
#pragma once

#include "backends/cudnn/graph/graph.h"
#include "backends/implementation.h"

namespace plumbline {

/// An op as cuDNN computes it: graphs over tensors that it names.
struct CudnnProgram {
  std::vector<cudnn::Graph> before;  // run once in prepare: what the launch needs of the forward
  std::vector<cudnn::Graph> launch;  // run one after the other in each launch
  Tensors results;                   // what the launch's graphs wrote, in the op's order
};

/// Builds an op's graphs with the plan that the case asks for, once for all placements of a case,
/// and binds them to the memory of each. Results and workspace are allocated in prepare, so that a
/// launch does nothing but execute.
class CudnnImplementation {
 public:
  using Describe = CudnnProgram (*)(const Problem&, const Operands&);
  explicit CudnnImplementation(Describe describe);

  /// Throws Unsupported with the reason where cuDNN cannot do it. Tensors on the CPU: the graphs
  /// are validated, and then it is Unsupported.
  Prepared operator()(const Problem& problem, const Operands& operands) const;

  CudnnProgram program(const Problem& problem, const Operands& operands) const {
    return describe_(problem, operands);
  }

 private:
  struct Built;  // what the last case was built into
  Describe describe_;
  std::shared_ptr<Built> built_;
};

}  // namespace plumbline
