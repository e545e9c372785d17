/// What a case took in an earlier run, and where: shards are made from it.
#pragma once

#include <map>
#include <string>

#include "core/run/case.h"

namespace plumbline {

struct CaseCost {
  double seconds = 0;  // wall time of all its visits
  std::string device;  // UUID of the last one's
};

using CaseCosts = std::map<CaseKey, CaseCost>;

}  // namespace plumbline
