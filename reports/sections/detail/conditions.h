/// The device's clock, temperature and power while a case was measured.
#pragma once

#include <string>

#include "reports/model.h"
#include "reports/text_list.h"

namespace plumbline {

/// Each visit of both sides in time order: `[side, round, temperature °C, power W, index of its
/// throttle reason, [SM clock of each block that counts, MHz]]`. Side 0 is the baseline's. Null
/// where unknown; "null" if nothing is known about any visit.
std::string conditions_json(const CaseView& view, TextList& throttles);

}  // namespace plumbline
