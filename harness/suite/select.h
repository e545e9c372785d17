/// Selects cases of a suite: --filter, --tag, --case.
///
/// Knows ids and tags, no YAML.
#pragma once

#include <string>
#include <vector>

#include "core/run/case.h"

namespace plumbline {

struct Selection {
  /// Each must match the id: as a part of it, or as a whole-id pattern if it contains * or ?.
  /// A filter that starts with '!' must not match.
  std::vector<std::string> filters;
  std::vector<std::string> tags;   // the case has at least one of them
  std::vector<std::string> cases;  // complete ids; the case is one of them
};

/// The selected cases, in their order; all if the selection is empty. Throws Error for a case id or
/// tag that no case has, and names the nearest one.
std::vector<Case> select(std::vector<Case> cases, const Selection& selection);

/// The id with the longest beginning and end in common with `id`; "" if there is none.
std::string nearest_id(const std::string& id, const std::vector<std::string>& known);

}  // namespace plumbline
