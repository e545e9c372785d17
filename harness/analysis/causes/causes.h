/// From findings to causes: what changed alike is one thing to look at.
///
/// Findings are grouped by direction, measure, op and backend, and within these by region of the
/// sweep (region.h); causes of several ops that share a kernel, a clock or a library are joined.
/// Pure: what runs recorded comes through the evidence.
#pragma once

#include "analysis/estimate/recorded.h"

namespace plumbline {

/// Replaces `comparison.causes` and the cause of every finding. To be called when all verdicts are
/// final. SLOWER, FASTER, BROKEN, FIXED, MISSING and NEW have causes. Order: BROKEN, SLOWER,
/// MISSING, FASTER, FIXED, NEW; within these by cost, times first; ties by name.
void find_causes(Comparison& comparison, const EvidenceOf& evidence_of);

/// True where in every case of the cause both sides recorded the kernels and their launch
/// configuration, and they are the same, and so is the suite's code where it brings some: the time
/// differs, the program does not.
bool runs_the_same(const Cause& cause);

}  // namespace plumbline
