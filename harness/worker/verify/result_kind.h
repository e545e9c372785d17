/// Whether results are what a launch can be timed for: tensors whose memory it has written.
#pragma once

#include "backends/implementation.h"

namespace plumbline {

/// Throws VisitFailure for a result that computes when it is read, or that nothing was computed
/// for, and Unsupported for one whose memory cannot be looked at. `may_return_inputs`: a result may
/// lie in the memory of `inputs`.
void require_written(const Tensors& results, const Tensors& inputs, bool may_return_inputs);

}  // namespace plumbline
