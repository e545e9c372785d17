/// `op: cudnn.graph` of a suite: a graph given as text, with tensors made for it.
///
/// Knows no YAML: the suite's reader has already checked the names in the text.
#pragma once

#include <string>
#include <vector>

#include "backends/cudnn/graph/frontend.h"
#include "backends/implementation.h"

namespace plumbline {

class SuiteGraph {
 public:
  /// Tensors without a data type get the case's `dtype`. Without a GPU, shapes are inferred as for
  /// Hopper. Throws Error for mistakes that cudnn-frontend or cuDNN finds, Unsupported if
  /// cudnn-frontend knows that cuDNN cannot do it.
  SuiteGraph(const Case& subject, bool is_cuda);

  /// The tensors that the graph reads and writes, in the order of its operations.
  const std::vector<cudnn::GraphOperand>& operands() const { return operands_; }

  /// `inputs` in the order of the read operands. Throws Unsupported.
  Prepared prepare(const Problem& problem, const Tensors& inputs) const;

  /// The written tensors in float64, in the order of the operands; `inputs` are exact. Throws
  /// cudnn::NoFormula if an operation has no formula.
  Tensors reference(const Tensors& inputs) const;

 private:
  std::string text_;
  std::vector<cudnn::GraphOperand> operands_;
  Implementation implementation_;
};

/// LibTorch's type for cudnn-frontend's HALF, FLOAT, FP8_E4M3, … Throws Unsupported for a type that
/// LibTorch does not have.
at::ScalarType scalar_type_of(const cudnn::GraphOperand& operand);

}  // namespace plumbline
