/// Checks that results do not depend on the size of the batch that they are computed in.
///
/// An op is batch-invariant if a part of the batch, computed alone, has the same bits as that part
/// of the whole result (He et al. 2025, "Defeating Nondeterminism in LLM Inference", Thinking
/// Machines Lab). A kernel that splits its sums by the number of rows is not.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "worker/workloads/workload.h"

namespace plumbline {

struct WholeBatch {
  const Case& subject;
  const Workload& workload;  // with the inputs of the launch
  const Tensors& results;    // of its launch, which is over
};

/// Makes the workload of a case that differs from the subject only in its batch.
using MakePart = std::function<std::unique_ptr<Workload>(const Case& part)>;

/// Launches on the first and the last element of the batch and on half of it, and compares bits.
/// Returns where the first one differs; "": nowhere, or the suite declares nothing. Throws
/// Unsupported if no input or no result grows with the parameter, or if one does not grow in
/// proportion to it.
std::string batch_dependence(const WholeBatch& whole, Device& device, const MakePart& make);

}  // namespace plumbline
