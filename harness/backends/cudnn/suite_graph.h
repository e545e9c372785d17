/// `op: cudnn.graph` of a suite: a graph that is given as text, on tensors made for it.
///
/// Knows no YAML: the names in the text were checked where the suite was read.
#pragma once

#include <string>
#include <vector>

#include "backends/cudnn/graph/frontend.h"
#include "backends/implementation.h"

namespace plumbline {

class SuiteGraph {
 public:
  /// Tensors that say no data type are of the case's `dtype`. Without a GPU, shapes are inferred as
  /// for Hopper. Throws Error for what cudnn-frontend or cuDNN finds wrong in it, Unsupported for
  /// what cudnn-frontend knows that cuDNN cannot do.
  SuiteGraph(const Case& subject, bool is_cuda);

  /// What the graph reads and writes, in the order of its operations.
  const std::vector<cudnn::GraphOperand>& operands() const { return operands_; }

  /// `inputs` in the order of the operands that are read. Throws Unsupported.
  Prepared prepare(const Problem& problem, const Tensors& inputs) const;

  /// What is written, in float64 and the order of the operands; `inputs` are exact. Throws
  /// cudnn::NoFormula where none is known.
  Tensors reference(const Tensors& inputs) const;

 private:
  std::string text_;
  std::vector<cudnn::GraphOperand> operands_;
  Implementation implementation_;
};

/// LibTorch's type of what cudnn-frontend names HALF, FLOAT, FP8_E4M3, … Throws Unsupported for one
/// that LibTorch has not.
at::ScalarType scalar_type_of(const cudnn::GraphOperand& operand);

}  // namespace plumbline
