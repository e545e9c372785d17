/// The position of a case under its device's roofline (Williams, Waterman & Patterson 2009).
#pragma once

#include <string>

#include "reports/model.h"

namespace plumbline {

/// `[FLOP per byte, FLOP/s, calibrated FLOP/s, calibrated B/s, whether the bytes are counted]` of
/// the candidate. Bytes are those that the GPU counted, else those that the case declares. The
/// third is null if no product rate of its type was calibrated; "null" if work, bytes or bandwidth
/// are unknown.
std::string roofline_json(const CaseView& view);

}  // namespace plumbline
