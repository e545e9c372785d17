/// The position of a case under its device's roofline (Williams, Waterman & Patterson 2009).
#pragma once

#include <string>

#include "reports/model.h"

namespace plumbline {

/// `[FLOP per byte, FLOP/s, calibrated FLOP/s, calibrated B/s]` of the candidate, and `true` behind
/// them if the bytes are those that the GPU counted, not those that the case declares. The third is
/// null if no product rate of its type was calibrated; "null" if work, bytes or bandwidth are
/// unknown.
std::string roofline_json(const CaseView& view);

}  // namespace plumbline
