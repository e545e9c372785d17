/// Execution plans of a library, as stored in results.csv (store/README.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/unknown.h"

namespace plumbline {

struct PlanRecord {
  std::string graph, plan;
  double index = kUnknown;      // among the candidates
  double workspace = kUnknown;  // bytes
};

/// The records in the order of the text; none for an empty text or other JSON.
std::vector<PlanRecord> plans_of(std::string_view text);

}  // namespace plumbline
