/// A case that two timers measured is judged by the quieter one, where both saw the same work.
///
/// Events read whole launches, with the gaps between kernels; CUPTI reads the kernels alone, and
/// scatters less below some 10 µs. Where both sides launch the same kernels with the same grids,
/// the gaps are the device's and not the case's. Knows findings and evidence, no runs.
#pragma once

#include "analysis/compare/comparison.h"
#include "analysis/estimate/recorded.h"

namespace plumbline {

/// Of a screen: a time of a case that is UNRESOLVED for its noise alone becomes SAME where the
/// other timer's of the same cache state is SAME. One that looks changed stays as it is.
void follow_quieter_timer(Comparison& comparison, const EvidenceOf& evidence_of);

}  // namespace plumbline
