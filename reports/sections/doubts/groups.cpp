#include "reports/sections/doubts/groups.h"

#include <algorithm>
#include <map>
#include <span>

namespace plumbline {
namespace {

struct Word {
  std::string_view word;
  bool by_reason = false;
};
constexpr Word kCompared[] = {
    {"unresolved"}, {"not judged", true}, {"missing"}, {"new"}, {"fixed"}};
constexpr Word kAlone[] = {{"throttled", true},
                           {"interrupted", true},
                           {"unverified", true},
                           {"unsupported", true},
                           {"excluded", true}};

}  // namespace

std::vector<DoubtGroup> make_doubt_groups(const ReportModel& model) {
  const std::span<const Word> words =
      model.input.comparison ? std::span<const Word>(kCompared) : std::span<const Word>(kAlone);
  std::vector<DoubtGroup> groups;
  for (const Word& word : words) {
    std::map<std::string_view, std::vector<const CaseView*>> by_reason;
    for (const CaseView& view : model.cases)
      if (view.label.word == word.word)
        by_reason[word.by_reason ? std::string_view(view.reason) : ""].push_back(&view);
    if (by_reason.empty()) by_reason[""];
    const auto first = std::ptrdiff_t(groups.size());
    for (auto& [reason, views] : by_reason)
      groups.push_back({word.word, std::string(reason), std::move(views)});
    std::stable_sort(groups.begin() + first, groups.end(),
                     [](const auto& a, const auto& b) { return a.views.size() > b.views.size(); });
  }
  return groups;
}

}  // namespace plumbline
