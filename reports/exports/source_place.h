/// Where the source of a finding's case changed, for formats that show findings beside the code.
///
/// Pure data; workflow/results/source_places.h finds the places.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "core/run/case.h"

namespace plumbline {

/// Lines from 1, ends included. `file`: relative to the root of the git tree.
struct SourcePlace {
  std::string file;
  std::size_t line = 1, end_line = 1;
  bool operator==(const SourcePlace&) const = default;
};

/// By case, under the candidate's names. A case that is absent has no known place.
using SourcePlaces = std::map<CaseKey, SourcePlace>;

}  // namespace plumbline
