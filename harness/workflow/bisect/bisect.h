/// Searches the version that changed the time of a case: the command `bisect`.
///
/// Finds the versions, searches among them (search.h), and goes on in merges.
#pragma once

#include <string>
#include <vector>

#include "workflow/bisect/search.h"

namespace plumbline {

/// True if the search found where a change is.
bool has_found(const BisectResult& result);

struct BisectOutcome {
  int signal = 0;  // the signal that stopped it
  std::string folder, metric;
  std::vector<BisectSearch> searches;  // the first, then those among the commits of found merges
  std::string branch_failure;  // why the search in the last merge ended early; "" = it did not

  /// The search that has the answer: the last one that found a version, else the first.
  const BisectSearch& answer() const;
};

/// Throws Error, also if GOOD or BAD cannot be built or measured.
BisectOutcome bisect(BisectRequest request, Talk& talk);

}  // namespace plumbline
