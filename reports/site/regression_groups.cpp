#include "reports/site/regression_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <set>
#include <tuple>
#include <type_traits>

#include "analysis/compare/ledger_effects.h"
#include "core/moment.h"
#include "core/words.h"
#include "reports/cells.h"
#include "reports/site/case_line.h"
#include "reports/site/frame.h"
#include "reports/units.h"

namespace plumbline {
namespace {

/// Cuts titles: a name may have thousands of characters.
std::string shortened(std::string text) {
  constexpr std::size_t kMost = 120;
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string decision_of(const Regression& found) {
  switch (found.state()) {
    case RegressionState::acknowledged:
      return entry_text(*found.entry);
    case RegressionState::accepted: {
      const AcceptedRun& run = *found.accepted;
      return "accepted by " + run.by + (run.at.empty() ? "" : " on " + run.at.substr(0, 10)) +
             (run.why.empty() ? "" : ": " + run.why);
    }
    default:
      return "";
  }
}

/// Seconds lost in one launch; 0 for other metrics and failures.
double lost_s(const RegressionGroup::Member& member) {
  const bool is_time = member.line->unit == "s" && member.found->kind != RegressionKind::broken;
  return is_time ? member.found->after - member.found->before : 0;
}

/// Keeps one member for each case: several metrics of a case show the same regression.
void leave_one_a_case(RegressionGroup& group) {
  std::ranges::stable_sort(group.members, std::ranges::greater(),
                           [](const auto& m) { return std::abs(m.found->change); });
  std::map<std::pair<std::string_view, std::string_view>, double> lost;  // by case
  std::vector<RegressionGroup::Member> worst;
  for (const RegressionGroup::Member& member : group.members) {
    const auto [known, is_first] = lost.try_emplace({member.line->suite, member.line->case_id}, 0);
    known->second = std::max(known->second, lost_s(member));
    if (is_first) worst.push_back(member);
  }
  group.members = std::move(worst);
  for (const auto& [name, seconds] : lost) group.lost_s += seconds;
}

/// Groups regressions with equal `shared` results, in the order of these.
template <class Shared>
std::vector<RegressionGroup> grouped(const std::vector<CaseLine>& cases, const Shared& shared) {
  std::map<std::invoke_result_t<Shared, const CaseLine&, const Regression&>, RegressionGroup>
      by_cause;
  for (const CaseLine& line : cases)
    for (const Regression& found : line.regressions)
      by_cause[shared(line, found)].members.push_back({&line, &found});
  std::vector<RegressionGroup> groups;
  for (auto& [cause, group] : by_cause) {
    leave_one_a_case(group);
    groups.push_back(std::move(group));
  }
  return groups;
}

/// The run that ended it: the one that fixed it, or the first that no longer measured it.
std::optional<std::size_t> ended_with(const Regression& found) {
  return found.state() == RegressionState::unmeasured ? found.left : found.back;
}

std::size_t settled_with(const RegressionGroup& group) {
  return ended_with(group.first()).value_or(group.first().from);
}

/// The tables in order: open regressions, cases no longer measured, settled regressions.
int table_of(const RegressionGroup& group) {
  const RegressionState state = group.first().state();
  return state == RegressionState::open ? 0 : state == RegressionState::unmeasured ? 1 : 2;
}

bool comes_before(const RegressionGroup& a, const RegressionGroup& b) {
  if (table_of(a) != table_of(b)) return table_of(a) < table_of(b);
  if (table_of(a) != 0) return settled_with(a) > settled_with(b);
  const auto is_broken = [](const RegressionGroup& g) {
    return g.first().kind == RegressionKind::broken;
  };
  if (is_broken(a) != is_broken(b)) return is_broken(a);
  return a.lost_s > b.lost_s;
}

std::string percent(double change) { return change_text(change, {}, {}).change + "\u00a0%"; }

PageData run_link(const std::vector<KeyedRun>& runs, std::size_t at) {
  PageData data = run_data(*runs[at].run, commit_page_name(runs[at].key));
  data["subject"] = runs[at].run->subject;
  return data;
}

PageData member_data(const RegressionGroup::Member& member) {
  PageData data = case_anchor(*member.line);
  const bool is_broken = member.found->kind == RegressionKind::broken;
  data["size"] = is_broken ? "" : percent(member.found->change);
  data["values"] = is_broken ? ""
                             : quantity_text(member.found->before, member.line->unit) + " → " +
                                   quantity_text(member.found->after, member.line->unit);
  data["metric"] = is_broken ? member.line->status : member.line->metric;
  return data;
}

std::optional<std::size_t> days_of(const RegressionGroup& group,
                                   const std::vector<KeyedRun>& runs) {
  constexpr std::int64_t kDay = 86'400;
  const Regression& first = group.first();
  const std::string& device = runs[first.from].run->device_class;
  const std::optional<std::size_t> ended = ended_with(first);
  std::size_t end = ended.value_or(runs.size() - 1);
  while (!ended && end > first.from && runs[end].run->device_class != device) --end;
  const auto from = moment_of(runs[first.from].run->started_at),
             until = moment_of(runs[end].run->started_at);
  if (!from || !until) return std::nullopt;
  return std::size_t((until->seconds - from->seconds) / kDay);
}

Label label_of_kind(RegressionKind kind) {
  if (kind == RegressionKind::broken) return label_of(Verdict::broken);
  Label label = label_of(Verdict::slower);
  if (kind == RegressionKind::drift) label.word = "drifts";
  return label;
}

PageData row_of(const RegressionGroup& group, const std::vector<KeyedRun>& runs) {
  const Regression& first = group.first();
  PageData members = PageData::array();
  for (const RegressionGroup::Member& member : group.members | std::views::take(kMostMembers))
    members.push_back(member_data(member));
  PageData row{{"label", label_data(label_of_kind(first.kind))},
               {"size", size_text(group)},
               {"since", run_link(runs, first.from)},
               {"no_commit", first.kind == RegressionKind::drift},
               {"age", age_text(group, runs)},
               {"days", days_of(group, runs).value_or(0)},
               {"place", first.from},
               {"lost", group.lost_s > 0 ? "+" + quantity_text(group.lost_s, "s") : ""},
               {"lost_s", fmt::format("{:.4g}", group.lost_s)},
               {"size_value", fmt::format("{:.4g}", std::abs(first.change))},
               {"decision", decision_text(group)},
               {"ended", nullptr}};
  if (const auto ended = ended_with(first)) {
    row["ended"] = run_link(runs, *ended);
    row["ended"]["fixed"] = first.back ? "fixed by " : "";
  }
  add_cases(lines_of(group), std::move(members), row);
  return row;
}

}  // namespace

std::vector<RegressionGroup> regression_groups(const std::vector<CaseLine>& cases) {
  std::vector<RegressionGroup> groups =
      grouped(cases, [](const CaseLine& line, const Regression& found) {
        return std::tuple(found.from, ended_with(found), found.kind, found.change > 0,
                          decision_of(found), line.device_class);
      });
  std::ranges::stable_sort(groups, comes_before);
  return groups;
}

std::vector<RegressionGroup> begun_groups(const std::vector<CaseLine>& cases) {
  return grouped(cases, [](const CaseLine&, const Regression& found) {
    return std::pair(found.from, found.kind);
  });
}

std::vector<RegressionGroup> fixed_groups(const std::vector<CaseLine>& cases) {
  std::vector<RegressionGroup> groups = grouped(
      cases,
      [](const CaseLine&, const Regression& found) { return std::pair(found.back, found.kind); });
  std::erase_if(groups, [](const RegressionGroup& group) { return !group.first().back; });
  return groups;
}

std::vector<const CaseLine*> lines_of(const RegressionGroup& group) {
  std::vector<const CaseLine*> lines;
  for (const RegressionGroup::Member& member : group.members) lines.push_back(member.line);
  return lines;
}

std::string size_text(const RegressionGroup& group) {
  if (group.first().kind == RegressionKind::broken) return "";
  const std::string most = percent(group.first().change),
                    least = percent(group.members.back().found->change);
  return least == most ? most : least + " to " + most;
}

std::string age_text(const RegressionGroup& group, const std::vector<KeyedRun>& runs) {
  const auto days = days_of(group, runs);
  if (!days) return "–";
  return *days == 0 ? "today" : counted(*days, "day");
}

std::string since_text(const RegressionGroup& group, const std::vector<KeyedRun>& runs) {
  const auto days = days_of(group, runs);
  return "since " + short_name(*runs[group.first().from].run) +
         (!days        ? ""
          : *days == 0 ? ", today"
                       : ", " + counted(*days, "day") + " ago");
}

std::string group_sentence(const RegressionGroup& group) {
  const Regression& first = group.first();
  std::string text = shortened(common_case_text(lines_of(group)));
  if (first.kind == RegressionKind::broken)
    text += " fails";
  else
    text += (first.kind == RegressionKind::drift ? " drifts, " : " is ") +
            share_text(std::abs(first.change)) + " " +
            (group.members.front().line->unit == "s" ? "slower" : "worse");
  return group.members.size() == 1 ? text
                                   : text + fmt::format(" in {} cases", group.members.size());
}

std::string group_name(const RegressionGroup& group) {
  const std::string size = size_text(group);
  return shortened(common_case_text(lines_of(group))) + " (" + (size.empty() ? "" : size + ", ") +
         counted(group.members.size(), "case") + ")";
}

std::string decision_text(const RegressionGroup& group) { return decision_of(group.first()); }

PageData regression_table(const std::string& name, const std::vector<RegressionGroup>& groups,
                          const std::vector<KeyedRun>& runs) {
  if (groups.empty()) return nullptr;
  PageData rows = PageData::array();
  for (const RegressionGroup& group : groups) rows.push_back(row_of(group, runs));
  constexpr const char* kEndings[] = {"", "not measured since", "settled"};
  return {
      {"table", name}, {"ending", kEndings[table_of(groups.front())]}, {"rows", std::move(rows)}};
}

}  // namespace plumbline
