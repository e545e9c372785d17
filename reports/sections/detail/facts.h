/// What is known of a case beyond its row: verification, work, conditions, doubts.
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

/// In the order in which they are read; what does not apply to the case is left out.
std::vector<Fact> facts_of(const CaseView& view);

}  // namespace plumbline
