// badge.json of a site (site.h).
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "core/words.h"
#include "reports/exports/exports.h"
#include "reports/site/site.h"

namespace plumbline {

std::string render_badge(const std::vector<CaseLine>& cases) {
  std::set<std::pair<std::string_view, std::string_view>> all, open;
  for (const CaseLine& line : cases) {
    all.insert({line.suite, line.case_id});
    if (std::ranges::any_of(line.regressions, [](const Regression& found) {
          return found.state() == RegressionState::open;
        }))
      open.insert({line.suite, line.case_id});
  }
  if (!open.empty()) return badge_json(counted(open.size(), "case") + " slower or broken", "red");
  return badge_json(counted(all.size(), "case") + ", none slower", "brightgreen");
}

}  // namespace plumbline
