/// Whether a program is a worker as docs/reference/protocol.md says: one check for each thing that
/// the page promises.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workflow/conformance/evidence.h"

namespace plumbline {

/// What a check came to.
struct ConformanceResult {
  std::string_view check;  // what was checked, a sentence
  std::string_view place;  // in the page: the anchor of its section
  std::string found;
  std::string expected;  // "" = it passed
};

/// All checks in the order of the page. Throws Error where the program cannot be started at all.
std::vector<ConformanceResult> check_conformance(const ConformanceRequest& request);

}  // namespace plumbline
