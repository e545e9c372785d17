/// Groups findings into causes: cases that changed alike are one thing to look at.
///
/// Findings are grouped by direction, measure, op and backend, and within these by region of the
/// sweep (region.h); causes of several ops that share a kernel, a clock or a library are joined.
/// Pure: the caller passes in what the runs recorded (EvidenceOf).
#pragma once

#include "analysis/estimate/recorded.h"

namespace plumbline {

/// Replaces `comparison.causes` and the cause of every finding. Call it when all verdicts are
/// final. SLOWER, FASTER, BROKEN, FIXED, MISSING and NEW have causes. Order: BROKEN, SLOWER,
/// MISSING, FASTER, FIXED, NEW; within these by cost, times first; ties by name.
void find_causes(Comparison& comparison, const EvidenceOf& evidence_of);

/// True where the time differs and the program does not: in every case of the cause, both sides
/// recorded the same kernels, launch configurations and code of the suite (if it has any).
bool runs_the_same(const Cause& cause);

/// True if moreover the machine code of all kernels is the same. Arguments of kernels are known
/// only as far as the suite's code and the problem's revision say.
bool runs_the_same_code(const Cause& cause);

}  // namespace plumbline
