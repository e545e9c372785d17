/// Execution plans of a library, as results.csv holds them (store/README.md).
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

/// In the order of the text, none for an empty one or for what is no such JSON.
std::vector<PlanRecord> plans_of(std::string_view text);

}  // namespace plumbline
