/// What is known about a case beyond its row: verification, work, conditions, doubts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/model.h"

namespace plumbline {

struct Fact {
  std::string_view label;
  std::string text;
};

/// In reading order; facts that do not apply to the case are left out.
std::vector<Fact> facts_of(const CaseView& view);

}  // namespace plumbline
