#include "reports/site/case_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/words.h"
#include "reports/cells.h"
#include "reports/site/frame.h"
#include "reports/units.h"

namespace plumbline {
namespace {

/// Up to three names, then the number of others.
std::string some_of(const std::set<std::string>& names) {
  constexpr std::size_t kMost = 3;
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown == kMost) return text + fmt::format(" and {} more", names.size() - kMost);
    text += (shown++ == 0 ? "" : ", ") + name;
  }
  return text;
}

CaseName common_name(const std::vector<const CaseLine*>& cases) {
  CaseName common = name_of_case(cases.front()->case_id);
  std::set<std::string> names;
  for (const CaseLine* line : cases) {
    const CaseName name = name_of_case(line->case_id);
    names.insert(name.name);
    if (name.backend != common.backend) common.backend.clear();
    std::erase_if(common.params, [&](const auto& param) {
      return std::ranges::find(name.params, param) == name.params.end();
    });
  }
  common.name = some_of(names);
  return common;
}

PageData common_case_data(const std::vector<const CaseLine*>& cases) {
  CaseName name = common_name(cases);
  PageData params = PageData::array();
  for (auto& [key, value] : name.params)
    params.push_back({{"key", std::move(key)}, {"value", std::move(value)}});
  return {{"name", name.name}, {"backend", name.backend}, {"params", std::move(params)}};
}

}  // namespace

PageData case_anchor(const CaseLine& line) {
  PageData data = case_data(line.case_id);
  data["link"] = case_page_name(line.suite, line.case_id);
  return data;
}

std::string tone_of(const CaseLine& line, double change) {
  if (std::abs(change) < kLeastShown) return "base";
  return (change > 0) == line.is_less_better ? "slower" : "faster";
}

PageData step_data(const CaseLine& line, double change) {
  return {{"tone", (change > 0) == line.is_less_better ? "slower" : "faster"},
          {"change", change_text(change, {}, {}).change + "\u00a0%"}};
}

bool is_apart(const CaseLine& line) {
  const bool is_called = line.verdict == "SLOWER" || line.verdict == "FASTER";
  return line.last_is_apart || (is_called && line.steps.empty());
}

std::vector<const CaseLine*> by_last_change(const std::vector<CaseLine>& cases) {
  std::vector<const CaseLine*> sorted;
  for (const CaseLine& line : cases) sorted.push_back(&line);
  std::ranges::stable_sort(sorted, std::ranges::greater(), [](const CaseLine* line) {
    return line->steps.empty() ? 0 : line->steps.back().run + 1;
  });
  return sorted;
}

std::string common_case_text(const std::vector<const CaseLine*>& cases) {
  const CaseName name = common_name(cases);
  std::string text = name.name + (name.backend.empty() ? "" : " ") + name.backend;
  for (const auto& [key, value] : name.params) text += " " + key + "=" + value;
  return text;
}

void add_cases(const std::vector<const CaseLine*>& cases, PageData members, PageData& row) {
  const bool is_one = cases.size() == 1;
  const std::size_t more = cases.size() - members.size();
  row["single"] = is_one ? members : PageData::array();
  row["several"] = is_one ? PageData()
                          : PageData{{"what", common_case_data(cases)},
                                     {"count", counted(cases.size(), "case")},
                                     {"more", more > 0 ? std::to_string(more) + " more" : ""},
                                     {"members", std::move(members)}};
}

}  // namespace plumbline
