#include "core/status.h"

#include <algorithm>

namespace plumbline {

std::optional<Status> status_named(std::string_view name) {
  const auto found = std::ranges::find(kStatusNames, name);
  if (found == kStatusNames.end()) return std::nullopt;
  return static_cast<Status>(found - kStatusNames.begin());
}

}  // namespace plumbline
