/// Checks whether a program is a worker as docs/reference/protocol.md says: one check for each
/// promise of the page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workflow/conformance/evidence.h"

namespace plumbline {

/// The result of a check.
struct ConformanceResult {
  std::string_view check;  // what was checked, a sentence
  std::string_view place;  // anchor of the section in the page
  std::string found;
  std::string expected;  // "" = it passed
};

/// All checks in the order of the page. Throws Error if the program cannot be started at all.
std::vector<ConformanceResult> check_conformance(const ConformanceRequest& request);

}  // namespace plumbline
