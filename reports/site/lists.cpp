/// The index of commits, the list of cases, and the script in which case pages look runs up.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ranges>
#include <set>

#include "reports/cells.h"
#include "reports/markup.h"
#include "reports/past.h"
#include "reports/site/frame.h"
#include "reports/site/site.h"
#include "reports/units.h"
#include "stats/change_point.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostChanges = 20;

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

constexpr std::array<std::string_view, 12> kWorstFirst{
    "BROKEN",       "SLOWER", "LOOKS_SLOWER", "MISSING", "NOT_JUDGED", "FASTER",
    "LOOKS_FASTER", "FIXED",  "UNRESOLVED",   "SAME",    "NEW",        "EXPECTED"};

/// Place among verdicts of the worst one that a run holds; behind all of them where it holds none.
std::size_t worst_rank(const SiteRun& run) {
  const auto worst = std::ranges::find_if(
      kWorstFirst, [&](std::string_view word) { return run.counts.contains(std::string(word)); });
  return std::size_t(worst - kWorstFirst.begin());
}

/// What a commit is known by at a glance: its worst verdict, or that nothing was compared.
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
  return row;
}

PageData case_anchor(const CaseLine& line) {
  PageData data = case_data(line.case_id);
  data["link"] = case_page_name(line.suite, line.case_id);
  return data;
}

PageData step_data(double change) {
  return {{"tone", change > 0 ? "slower" : "faster"},
          {"change", change_text(change, {}, {}).change + " %"}};
}

/// Whether something about the last run changed that no placed change tells.
bool is_apart(const CaseLine& line) {
  const bool is_called = line.verdict == "SLOWER" || line.verdict == "FASTER";
  return line.last_is_apart || (is_called && line.steps.empty());
}

/// Which cases' last run lies apart: their change cannot be placed before more runs follow.
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

/// What is said where no change is placed.
std::string no_change_text(const std::vector<CaseLine>& cases) {
  constexpr std::size_t kLeast = ChangeSearch{}.min_size + 1;
  const bool has_history =
      std::ranges::any_of(cases, [](const CaseLine& line) { return line.runs >= kLeast; });
  return has_history ? "No case has changed from one run to the next."
                     : fmt::format("A case's changes are placed from {} runs on.", kLeast);
}

/// The newest changes of all cases, those of one commit together, largest first; null for none.
PageData changes_data(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases) {
  std::map<std::string_view, std::vector<std::pair<const CaseLine::Step*, const CaseLine*>>> by_run;
  for (const CaseLine& line : cases)
    for (const CaseLine::Step& step : line.steps) by_run[step.key].emplace_back(&step, &line);
  if (by_run.empty()) return nullptr;
  PageData rows = PageData::array();
  std::size_t all = 0;
  for (const KeyedRun& run : std::views::reverse(runs)) {
    auto& changes = by_run[run.key];
    all += changes.size();
    std::ranges::stable_sort(changes, [](const auto& a, const auto& b) {
      return std::abs(a.first->change) > std::abs(b.first->change);
    });
    for (const auto& [step, line] : changes) {
      if (rows.size() == kMostChanges) break;
      PageData row = step_data(step->change);
      row["is_moved"] = step->is_moved;
      row["case"] = case_anchor(*line);
      row["metric"] = line->metric;
      row["device"] = line->device_class;
      row["run"] = run_link(run);
      rows.push_back(std::move(row));
    }
  }
  const std::size_t earlier = all - rows.size();
  return {{"rows", std::move(rows)}, {"earlier", earlier > 0 ? std::to_string(earlier) : ""}};
}

/// The newest run of each class of devices, worst first.
std::vector<KeyedRun> newest_by_device(const std::vector<KeyedRun>& runs) {
  std::map<std::string_view, KeyedRun> newest;  // runs come in the order of time
  for (const KeyedRun& run : runs) newest.insert_or_assign(run.run->device_class, run);
  std::vector<KeyedRun> sorted;
  for (const auto& [device, run] : newest) sorted.push_back(run);
  std::ranges::stable_sort(sorted, {}, [](const KeyedRun& run) { return worst_rank(*run.run); });
  return sorted;
}

std::string sentence_of(const SiteRun& run) {
  return run.sentence.empty() ? "The last run was not compared with a baseline." : run.sentence;
}

/// What the newest runs say: of several classes of devices each by itself.
void add_headline(const std::vector<KeyedRun>& runs, PageData& data) {
  const std::vector<KeyedRun> newest = newest_by_device(runs);
  const SiteRun& worst = *newest.front().run;
  const bool is_one = newest.size() == 1;
  data["headline"] = (is_one ? "" : worst.device_class + ": ") + sentence_of(worst);
  data["latest"] = is_one ? run_link(newest.front()) : PageData();
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

PageData case_row(const CaseLine& line) {
  const bool is_ok = line.status == "OK" || line.status.empty();
  PageData verdict = verdict_data(is_ok ? line.verdict : line.status);
  if (verdict.is_null()) verdict = verdict_data("–");
  const bool has_step = !is_apart(line) && !line.steps.empty();
  return {{"verdict", std::move(verdict)},
          {"case", case_anchor(line)},
          {"suite", line.suite},
          {"metric", line.metric},
          {"device", line.device_class},
          {"latest", line.latest},
          {"step", has_step ? step_data(line.steps.back().change) : PageData()},
          {"no_step", is_apart(line)        ? "last run apart"
                      : !line.steps.empty() ? ""
                      : !line.drift.empty() ? "drifts, " + line.drift
                                            : "–"},
          {"changes", line.steps.size()},
          {"runs", line.runs}};
}

}  // namespace

std::string render_index(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                         const std::string& title, const std::vector<std::string>& notes) {
  PageData changes = changes_data(runs, cases), apart = apart_data(cases);
  const bool is_none = changes.is_null() && apart.is_null();
  PageData commits = PageData::array();
  for (const KeyedRun& run : std::views::reverse(runs)) commits.push_back(run_row(run));
  PageData data{{"title", title},
                {"count", runs.size()},
                {"notes", lists_data("warning", {notes})},
                {"changes", std::move(changes)},
                {"apart", std::move(apart)},
                {"none", is_none ? no_change_text(cases) : ""},
                {"searched", "commits"},
                {"commits", std::move(commits)}};
  add_headline(runs, data);
  return framed({title + " · Plumbline", "", false}, "site/index", data);
}

std::string render_case_list(const std::vector<CaseLine>& cases, const std::string& title) {
  PageData rows = PageData::array();
  for (const CaseLine& line : cases) rows.push_back(case_row(line));
  return framed({"Cases of " + title + " · Plumbline", "", false}, "site/cases",
                {{"title", title}, {"searched", "cases"}, {"cases", std::move(rows)}});
}

std::string render_runs_script(const std::vector<KeyedRun>& runs) {
  std::string script = "var plumbline_runs = {\n";
  for (const KeyedRun& shown : runs) {
    const SiteRun& run = *shown.run;
    script += script_json(shown.key) + ": " +
              script_json({run.started_at, run.commit, run.subject, run.software,
                           short_device(run.device_uuid)}) +
              ",\n";
  }
  return script + "};\n";
}

}  // namespace plumbline
