#include "analysis/compare/case_matching.h"

#include <algorithm>
#include <utility>

namespace plumbline {

CaseMatching::CaseMatching(const std::vector<CaseRows>& cases,
                           const std::map<CaseKey, std::string>& renames)
    : cases_(cases), taken_(cases.size()) {
  for (std::size_t i = 0; i < cases.size(); ++i) places_[cases[i].suite][cases[i].case_id] = i;
  for (const auto& [old_key, new_id] : renames) old_ids_[{old_key.suite, new_id}] = old_key.case_id;
}

const CaseRows* CaseMatching::take(std::string_view suite, std::string_view case_id) {
  const auto in_suite = places_.find(suite);
  if (in_suite == places_.end()) return nullptr;
  CaseKey key{std::string(suite), std::string(case_id)};
  for (std::size_t steps = 0; steps <= old_ids_.size(); ++steps) {
    const auto place = in_suite->second.find(key.case_id);
    if (place != in_suite->second.end()) {
      if (taken_[place->second]) return nullptr;
      taken_[place->second] = true;
      return &cases_[place->second];
    }
    const auto earlier = old_ids_.find(key);
    if (earlier == old_ids_.end()) return nullptr;
    key.case_id = earlier->second;
  }
  return nullptr;
}

std::vector<CaseSides> CaseMatching::sides_with(const std::vector<CaseRows>& candidates) {
  const auto sorted = [](std::vector<const CaseRows*> cases) {
    std::ranges::sort(cases, {}, [](const CaseRows* c) { return std::pair(c->suite, c->case_id); });
    return cases;
  };
  std::vector<const CaseRows*> present, lost;
  for (const CaseRows& found : candidates) present.push_back(&found);
  std::vector<CaseSides> sides;
  for (const CaseRows* found : sorted(std::move(present)))
    sides.push_back({take(found->suite, found->case_id), found});
  for (std::size_t i = 0; i < cases_.size(); ++i)
    if (!taken_[i]) lost.push_back(&cases_[i]);
  for (const CaseRows* found : sorted(std::move(lost))) sides.push_back({found, nullptr});
  return sides;
}

}  // namespace plumbline
