/// Checks that results are tensors whose memory the launch has written, so that its time is valid.
#pragma once

#include "backends/implementation.h"

namespace plumbline {

/// Throws VisitFailure for a result that is computed when it is read, or that was not computed;
/// Unsupported for a result whose memory cannot be read. `may_return_inputs`: a result may lie in
/// the memory of `inputs`.
void require_written(const Tensors& results, const Tensors& inputs, bool may_return_inputs);

}  // namespace plumbline
