/// Judges a case that two timers measured by the quieter one, where both saw the same work.
///
/// Events time whole launches, including the gaps between kernels. CUPTI times the kernels alone
/// and scatters less below about 10 µs. Where both sides launch the same kernels with the same
/// grids, the gaps belong to the device and not to the case. Does not know runs.
#pragma once

#include "analysis/compare/comparison.h"
#include "analysis/estimate/recorded.h"

namespace plumbline {

/// For a screen: a time that is UNRESOLVED only because of its noise becomes SAME if the other
/// timer's time in the same cache state is SAME. A time that looks changed is left alone.
void follow_quieter_timer(Comparison& comparison, const EvidenceOf& evidence_of);

}  // namespace plumbline
