/// The last nights on the index: what each night could judge, and the state of its cases.
#pragma once

#include <cstddef>
#include <vector>

#include "reports/site/site.h"
#include "reports/template.h"

namespace plumbline {

/// Cases of a run by outcome.
struct NightHealth {
  std::size_t measured = 0;            // with a time
  std::size_t judged = 0, untold = 0;  // compared cases: with an answer, and without one
};
NightHealth health_of(const SiteRun& run);

/// For site/nights.html: a column for each of the last runs, a row for what it could judge, and a
/// row for each of the cases that changed last.
PageData nights_data(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases);

}  // namespace plumbline
