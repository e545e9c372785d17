/// Which cases of a suite are meant: --filter, --tag, --case.
///
/// Knows ids and tags, no YAML.
#pragma once

#include <string>
#include <vector>

#include "core/run/case.h"

namespace plumbline {

struct Selection {
  /// Each must fit the id: a part of it, or a pattern of the whole id where it has * or ?.
  /// A filter that starts with '!' must not fit.
  std::vector<std::string> filters;
  std::vector<std::string> tags;   // the case has one of them
  std::vector<std::string> cases;  // whole ids; the case is one of them
};

/// The selected cases, in their order; all of them where the selection is empty.
/// Throws Error for a case id or a tag that no case has, naming the nearest.
std::vector<Case> select(std::vector<Case> cases, const Selection& selection);

/// The id that shares the longest beginning and end with `id`; "" if there is none.
std::string nearest_id(const std::string& id, const std::vector<std::string>& known);

}  // namespace plumbline
