#include "reports/sections/findings/selected.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace plumbline {
namespace {

constexpr std::size_t kMostCases = 12;  // named individually

using Ids = std::vector<std::string_view>;

/// Cases of the finding in its suite, each once, in the page's order.
Ids ids_of(const Card& card) {
  Ids ids;
  std::set<std::string_view> seen;
  for (const CaseView* view : card.cases)
    if (view->suite == card.view->suite && seen.insert(view->id).second) ids.push_back(view->id);
  return ids;
}

/// All cases of the suite: as declared, and those of the page.
std::set<std::string_view> suite_ids(const ReportModel& model, std::string_view suite) {
  std::set<std::string_view> ids;
  for (const CaseView& view : model.cases)
    if (view.suite == suite) ids.insert(view.id);
  for (const SuiteRef& ref : model.input.candidate->info.suites)
    if (ref.name == suite) ids.insert(ref.cases.begin(), ref.cases.end());
  return ids;
}

/// `softmax/libtorch/`, then each `/key=value`: parts that other ids may also have.
std::vector<std::string> parts_of(std::string_view id) {
  std::vector<std::string> parts;
  std::string name;
  for (std::size_t at = 0; at < id.size();) {
    const std::size_t end = std::min(id.find('/', at), id.size());
    const std::string_view part = id.substr(at, end - at);
    if (part.find('=') == part.npos)
      name += std::string(part) + '/';
    else
      parts.push_back('/' + std::string(part));
    at = end + 1;
  }
  parts.insert(parts.begin(), name);
  return parts;
}

bool holds_part(std::string_view id, std::string_view part) { return id.find(part) != id.npos; }

bool is_pattern(std::string_view part) { return part.find_first_of("*?[") != part.npos; }

/// A list of `--filter`, each of which removes more of `others`; nothing if some remain.
std::optional<std::vector<std::string>> filters_of(const Ids& wanted,
                                                   std::vector<std::string_view> others) {
  std::vector<std::string> words;
  const auto try_filter = [&](const std::string& part, bool is_not) {
    const auto fits = [&](std::string_view id) { return holds_part(id, part) != is_not; };
    if (is_pattern(part) || !std::ranges::all_of(wanted, fits)) return;
    if (std::erase_if(others, [&](std::string_view id) { return !fits(id); }) > 0 || words.empty())
      words.insert(words.end(), {"--filter", (is_not ? "!" : "") + part});
  };
  for (const std::string& part : parts_of(wanted.front())) try_filter(part, false);
  while (!others.empty()) {  // parts that only others have
    const std::size_t left = others.size();
    for (const std::string& part : parts_of(others.front()))
      if (!others.empty()) try_filter(part, true);
    if (others.size() == left || words.size() > 2 * kMostCases) return std::nullopt;
  }
  return words;
}

}  // namespace

Selected selected_cases(const ReportModel& model, const Card& card) {
  const Ids wanted = ids_of(card);
  Selected selected;
  if (wanted.size() > kMostCases) {
    std::set<std::string_view> rest = suite_ids(model, card.view->suite);
    for (const std::string_view id : wanted) rest.erase(id);
    if (auto filters = filters_of(wanted, {rest.begin(), rest.end()})) {
      selected.words = std::move(*filters);
      return selected;
    }
  }
  const std::size_t count = std::min(kMostCases, wanted.size());
  for (std::size_t i = 0; i < count; ++i)
    selected.words.insert(selected.words.end(), {"--case", std::string(wanted[i])});
  std::set<std::pair<std::string_view, std::string_view>> all;
  for (const CaseView* view : card.cases) all.emplace(view->suite, view->id);
  if (count < all.size()) selected.said = fmt::format(": {} of its {} cases", count, all.size());
  return selected;
}

}  // namespace plumbline
