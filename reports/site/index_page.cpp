/// The index: open regressions, the nights, what changed last, commits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <set>
#include <tuple>

#include "reports/cells.h"
#include "reports/site/case_line.h"
#include "reports/site/frame.h"
#include "reports/site/night_map.h"
#include "reports/site/regression_groups.h"
#include "reports/site/site.h"
#include "reports/site/verdict_order.h"
#include "reports/units.h"
#include "stats/change_point.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostChanges = 20;
constexpr std::size_t kMostSettled = 10;

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The rank of a run's worst verdict; after all verdicts if it has none.
std::size_t worst_rank(const SiteRun& run) {
  std::size_t worst = kWorstFirst.size();
  for (const auto& [word, count] : run.counts) worst = std::min(worst, rank_of(word));
  return worst;
}

/// The short state of a commit: its worst verdict, or that nothing was compared.
PageData worst_data(const SiteRun& run) {
  const auto data = [](const Label& label, const std::string& cases) {
    PageData made = label_data(label);
    made["cases"] = cases;
    return made;
  };
  for (const std::string_view word : kWorstFirst)
    if (const auto found = run.counts.find(std::string(word)); found != run.counts.end())
      return data(label_of(*verdict_named(word)), found->second);
  for (const std::string_view excused : kEntryKindNames)
    if (const auto found = run.counts.find(std::string(excused)); found != run.counts.end())
      return data({"○", excused, "unjudged"}, found->second);
  return data({"○", "not compared", "unjudged"}, "");
}

PageData run_link(const KeyedRun& run) { return run_data(*run.run, commit_page_name(run.key)); }

PageData run_row(const KeyedRun& shown) {
  const SiteRun& run = *shown.run;
  PageData row = run_link(shown);
  row["worst"] = worst_data(run);
  row["subject"] = run.subject;
  row["author"] = run.author;
  row["suites"] = joined_names(run.suites);
  row["said"] = run.sentence;
  const NightHealth health = health_of(run);
  row["measured"] = health.measured;
  row["judged"] = run.counts.empty() ? "" : std::to_string(health.judged);
  row["untold"] = run.counts.empty() ? "" : std::to_string(health.untold);
  return row;
}

/// Cases whose last run lies apart: the change cannot be placed until more runs follow.
PageData apart_data(const std::vector<CaseLine>& cases) {
  std::set<std::pair<std::string_view, std::string_view>> apart;
  PageData links = PageData::array();
  for (const CaseLine& line : cases)
    if (is_apart(line) && apart.insert({line.suite, line.case_id}).second &&
        apart.size() <= kMostChanges)
      links.push_back(case_anchor(line));
  if (apart.empty()) return nullptr;
  return {
      {"count", number_text(double(apart.size()), 0) + (apart.size() == 1 ? " case" : " cases")},
      {"cases", std::move(links)}};
}

/// The text for when no change is placed.
std::string no_change_text(const std::vector<CaseLine>& cases) {
  constexpr std::size_t kLeast = ChangeSearch{}.min_size + 1;
  const bool has_history =
      std::ranges::any_of(cases, [](const CaseLine& line) { return line.runs >= kLeast; });
  return has_history ? "No case has changed from one run to the next."
                     : fmt::format("A case's changes are placed from {} runs on.", kLeast);
}

/// Cases that one run moved in one direction.
struct ChangeGroup {
  std::vector<std::pair<const CaseLine*, const CaseLine::Step*>> members;  // largest first
  std::size_t run = 0;
};

/// Groups of the newest runs first, the largest of a run first; a case has its largest metric.
std::vector<ChangeGroup> change_groups(const std::vector<CaseLine>& cases) {
  std::map<std::tuple<std::size_t, bool, bool>, ChangeGroup> groups;
  for (const CaseLine& line : cases)
    for (const CaseLine::Step& step : line.steps) {
      ChangeGroup& group = groups[{step.run, step.is_moved, step.change > 0}];
      group.run = step.run;
      group.members.emplace_back(&line, &step);
    }
  const auto size = [](const auto& member) { return std::abs(member.second->change); };
  std::vector<ChangeGroup> sorted;
  for (auto& [cause, group] : groups) {
    std::ranges::stable_sort(group.members, std::ranges::greater(), size);
    std::set<std::pair<std::string_view, std::string_view>> met;
    std::erase_if(group.members, [&](const auto& member) {
      return !met.insert({member.first->suite, member.first->case_id}).second;
    });
    sorted.push_back(std::move(group));
  }
  std::ranges::stable_sort(sorted, std::ranges::greater(), [&](const ChangeGroup& group) {
    return std::pair(group.run, size(group.members.front()));
  });
  return sorted;
}

PageData change_row(const ChangeGroup& group, const KeyedRun& run) {
  std::vector<const CaseLine*> lines;
  PageData members = PageData::array();
  for (const auto& [line, step] : group.members) {
    lines.push_back(line);
    if (members.size() == kMostMembers) continue;
    PageData member = case_anchor(*line);
    member["size"] = step_data(*line, step->change)["change"];
    member["metric"] = line->metric;
    member["values"] = "";
    members.push_back(std::move(member));
  }
  const auto& [worst, largest] = group.members.front();
  const auto& [least, smallest] = group.members.back();
  PageData row = step_data(*worst, largest->change);
  row["value"] = fmt::format("{:.4g}", largest->change);
  row["to"] = lines.size() == 1 ? PageData() : step_data(*least, smallest->change)["change"];
  add_cases(lines, std::move(members), row);
  row["is_moved"] = largest->is_moved;
  row["device"] = worst->device_class;
  row["run"] = run_link(run);
  row["run"]["subject"] = run.run->subject;
  row["place"] = group.run;
  return row;
}

/// The newest changes, grouped by commit; null for none.
PageData changes_data(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases) {
  const std::vector<ChangeGroup> groups = change_groups(cases);
  if (groups.empty()) return nullptr;
  PageData rows = PageData::array();
  std::size_t earlier = 0;
  for (const ChangeGroup& group : groups)
    if (rows.size() < kMostChanges)
      rows.push_back(change_row(group, runs[group.run]));
    else
      earlier += group.members.size();
  return {{"rows", std::move(rows)}, {"earlier", earlier > 0 ? std::to_string(earlier) : ""}};
}

/// The newest run of each device class, worst first.
std::vector<KeyedRun> newest_by_device(const std::vector<KeyedRun>& runs) {
  std::map<std::string_view, KeyedRun> newest;  // runs are in order of time
  for (const KeyedRun& run : runs) newest.insert_or_assign(run.run->device_class, run);
  std::vector<KeyedRun> sorted;
  for (const auto& [device, run] : newest) sorted.push_back(run);
  std::ranges::stable_sort(sorted, {}, [](const KeyedRun& run) { return worst_rank(*run.run); });
  return sorted;
}

std::string sentence_of(const SiteRun& run) {
  return run.sentence.empty() ? "The last run was not compared with a baseline." : run.sentence;
}

/// The number of open regressions, and the worst one.
std::string open_headline(const std::vector<RegressionGroup>& open,
                          const std::vector<KeyedRun>& runs) {
  const RegressionGroup& worst = open.front();
  return fmt::format("{} {} {}",
                     open.size() == 1
                         ? "1 regression is open:"
                         : fmt::format("{} regressions are open; the worst:", open.size()),
                     group_sentence(worst), since_text(worst, runs));
}

/// The groups that are in one of the states, in their order.
std::vector<RegressionGroup> of_states(const std::vector<RegressionGroup>& groups,
                                       std::initializer_list<RegressionState> states) {
  std::vector<RegressionGroup> chosen;
  for (const RegressionGroup& group : groups)
    if (std::ranges::find(states, group.first().state()) != states.end()) chosen.push_back(group);
  return chosen;
}

/// Regressions that are no longer measured, so that it is unknown whether they still exist.
std::string gone_text(const std::vector<RegressionGroup>& gone) {
  if (gone.empty()) return "";
  return gone.size() == 1
             ? "1 regression was open when its suite stopped measuring it."
             : fmt::format("{} regressions were open when their suites stopped measuring them.",
                           gone.size());
}

/// Open regressions; without any, the results of the newest runs, one for each device class.
void add_headline(const std::vector<KeyedRun>& runs, const std::vector<RegressionGroup>& open,
                  PageData& data) {
  const std::vector<KeyedRun> newest = newest_by_device(runs);
  const SiteRun& worst = *newest.front().run;
  const bool is_one = newest.size() == 1;
  data["headline"] = !open.empty() ? open_headline(open, runs)
                                   : (is_one ? "" : worst.device_class + ": ") + sentence_of(worst);
  data["latest"] = is_one ? run_link(newest.front()) : PageData();
  data["said"] = is_one && !open.empty() ? sentence_of(worst) : "";
  data["by_device"] = nullptr;
  if (is_one) return;
  PageData list = PageData::array();
  for (const KeyedRun& run : newest) {
    list.push_back(run_link(run));
    list.back()["worst"] = worst_data(*run.run);
    list.back()["sentence"] = sentence_of(*run.run);
  }
  data["by_device"] = {{"runs", std::move(list)}};
}

}  // namespace

std::string render_index(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                         const std::string& title, const std::vector<std::string>& notes) {
  PageData changes = changes_data(runs, cases), apart = apart_data(cases);
  const std::vector<RegressionGroup> groups = regression_groups(cases);
  const std::vector<RegressionGroup> open = of_states(groups, {RegressionState::open}),
                                     gone = of_states(groups, {RegressionState::unmeasured});
  std::vector<RegressionGroup> settled = of_states(
      groups, {RegressionState::acknowledged, RegressionState::accepted, RegressionState::fixed});
  settled.resize(std::min(settled.size(), kMostSettled));
  const bool is_none = changes.is_null() && apart.is_null();
  PageData commits = PageData::array();
  for (const KeyedRun& run : std::views::reverse(runs)) commits.push_back(run_row(run));
  PageData data{{"title", title},
                {"count", runs.size()},
                {"notes", lists_data("warning", {notes})},
                {"open", regression_table("open-list", open, runs)},
                {"gone", regression_table("gone-list", gone, runs)},
                {"gone_text", gone_text(gone)},
                {"settled", regression_table("settled-list", settled, runs)},
                {"history", nights_data(runs, cases)},
                {"changes", std::move(changes)},
                {"apart", std::move(apart)},
                {"none", is_none ? no_change_text(cases) : ""},
                {"searched", "commits"},
                {"commits", std::move(commits)}};
  add_headline(runs, open, data);
  return framed({title + " · Plumbline", "", false}, "site/index", data);
}

}  // namespace plumbline
