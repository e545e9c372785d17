#include "reports/sections/doubts/groups.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

namespace plumbline {
namespace {

/// The keys of a view within a group: its rows are grouped by key ("" = not grouped). A view
/// without keys is not in the group.
using Keys = std::vector<std::string_view> (*)(const CaseView& view, std::string_view word);

std::vector<std::string_view> of_word(const CaseView& view, std::string_view word) {
  return view.label.word == word ? std::vector<std::string_view>{""}
                                 : std::vector<std::string_view>{};
}

std::vector<std::string_view> of_reason(const CaseView& view, std::string_view word) {
  return view.label.word == word ? std::vector<std::string_view>{view.reason}
                                 : std::vector<std::string_view>{};
}

/// Flags of a sampler (measure/flags.h) that mean: another measurement may give another result.
constexpr std::array<std::string_view, 4> kUnstable{"bimodal", "trend inside the visit",
                                                    "unstable clock", "precision not reached"};

std::vector<std::string_view> of_flags(const CaseView& view, std::string_view) {
  std::vector<std::string_view> found;
  for (const std::string_view flag : view.flags)
    if (std::ranges::find(kUnstable, flag) != kUnstable.end()) found.push_back(flag);
  return found;
}

std::vector<std::string_view> of_renames(const CaseView& view, std::string_view) {
  return view.finding && !view.finding->renamed_from.empty() ? std::vector<std::string_view>{""}
                                                             : std::vector<std::string_view>{};
}

struct Group {
  std::string_view word;
  Keys keys = of_word;
  std::string_view symbol{};  // "" = the symbol of its rows' label
};
constexpr Group kUnstableGroup{"unstable", of_flags, "◌"};
constexpr Group kCompared[] = {
    {"unresolved"}, {"not judged", of_reason},    kUnstableGroup, {"missing"},
    {"new"},        {"renamed", of_renames, "→"}, {"fixed"}};
constexpr Group kAlone[] = {{"throttled", of_reason},  {"interrupted", of_reason},
                            {"unverified", of_reason}, {"unsupported", of_reason},
                            {"excluded", of_reason},   kUnstableGroup};

Label label_of(const Group& group, const std::vector<const CaseView*>& views) {
  if (!group.symbol.empty()) return {group.symbol, group.word, "unjudged"};
  return views.empty() ? Label{"", group.word, "unjudged"} : views.front()->label;
}

std::string query_of(const Group& group, std::string_view key) {
  if (group.keys == of_flags) return '"' + std::string(key) + '"';
  if (group.keys == of_renames) return "\"renamed from\"";
  std::string word(group.word);
  std::ranges::replace(word, ' ', '-');
  return "verdict:" + word;
}

}  // namespace

std::vector<DoubtGroup> make_doubt_groups(const ReportModel& model) {
  const std::span<const Group> all =
      model.input.comparison ? std::span<const Group>(kCompared) : std::span<const Group>(kAlone);
  std::vector<DoubtGroup> groups;
  for (const Group& group : all) {
    std::map<std::string_view, std::vector<const CaseView*>> by_key;
    for (const CaseView& view : model.cases)
      for (const std::string_view key : group.keys(view, group.word)) by_key[key].push_back(&view);
    const auto first = std::ptrdiff_t(groups.size());
    for (auto& [key, views] : by_key)
      groups.push_back(
          {label_of(group, views), std::string(key), query_of(group, key), std::move(views)});
    std::stable_sort(groups.begin() + first, groups.end(),
                     [](const auto& a, const auto& b) { return a.views.size() > b.views.size(); });
  }
  return groups;
}

}  // namespace plumbline
