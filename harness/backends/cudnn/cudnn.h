/// What all cuDNN implementations share: from a description as graphs to a launch.
///
/// An op's cudnn.cpp only describes graphs; it does not include cuDNN's headers. A process has one
/// cuDNN: library and handle are LibTorch's.
#pragma once

#include "backends/cudnn/graph/graph.h"
#include "backends/implementation.h"

namespace plumbline {

/// An op as cuDNN computes it: graphs over tensors that it names.
struct CudnnProgram {
  std::vector<cudnn::Graph> before;  // run once in prepare: forward results that the launch needs
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

  /// Throws Unsupported with the reason if cuDNN cannot do it. Tensors on the CPU: validates the
  /// graphs, then throws Unsupported.
  Prepared operator()(const Problem& problem, const Operands& operands) const;

  CudnnProgram program(const Problem& problem, const Operands& operands) const {
    return describe_(problem, operands);
  }

 private:
  struct Built;  // the built graphs of the last case
  Describe describe_;
  std::shared_ptr<Built> built_;
};

}  // namespace plumbline
