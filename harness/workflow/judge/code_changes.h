/// What changed in the machine code of kernels between the sides of pairs.
///
/// Workers keep the code of what they traced beside the runs (PairedRequest::keeps_code). nvdisasm
/// turns it into instructions, analysis/code/ compares these.
#pragma once

#include <array>
#include <string>

#include "analysis/compare/comparison.h"
#include "core/run/run.h"
#include "workflow/sides/side.h"

namespace plumbline {

/// Sets the code changes of the comparison, whose causes are known, and adds a note if their
/// instructions cannot be shown, and one about cases of equal code. Then removes all kept code but
/// that of these changes. `runs`: of the pairs; their folders have the code. Throws nothing:
/// verdicts do not depend on it.
void add_code_changes(const std::array<Run, 2>& runs, const std::array<const Side*, 2>& sides,
                      Comparison& comparison);

}  // namespace plumbline
