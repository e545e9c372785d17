/// What the device's clock, temperature and power were while a case was measured.
#pragma once

#include <string>

#include "reports/model.h"
#include "reports/text_list.h"

namespace plumbline {

/// Each visit of both sides in time order, `[side, round, temperature °C, power W, its number
/// among the throttle reasons, [SM clock of each block that counts, MHz]]`, side 0 the baseline's,
/// null where unknown; "null" where nothing is known of any visit.
std::string conditions_json(const CaseView& view, TextList& throttles);

}  // namespace plumbline
