#include "reports/site/night_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/moment.h"
#include "core/words.h"
#include "reports/cells.h"
#include "reports/site/case_line.h"
#include "reports/site/frame.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostCases = 40;

/// The name of a night's health, by the share of compared cases without an answer.
struct Health {
  std::string_view symbol, word, kind;
};
constexpr Health kJudged{"●", "judged", "judged"}, kInPart{"◐", "judged in part", "in-part"},
    kUntold{"○", "cannot tell", "untold"}, kNotCompared{"–", "not compared", "absent"};

const Health& called(const NightHealth& health) {
  constexpr double kFew = 0.1, kMany = 1.0 / 3;
  const auto compared = double(health.judged + health.untold);
  if (compared == 0) return kNotCompared;
  const double share = double(health.untold) / compared;
  return share <= kFew ? kJudged : share <= kMany ? kInPart : kUntold;
}

PageData cell(std::string_view symbol, std::string_view kind, const std::string& title) {
  return {{"symbol", symbol}, {"kind", kind}, {"title", title}};
}

PageData health_cell(const SiteRun& run) {
  const NightHealth health = health_of(run);
  const Health& word = called(health);
  return cell(word.symbol, word.kind,
              fmt::format("{}: {} measured, {} judged, {} cannot tell", word.word, health.measured,
                          health.judged, health.untold));
}

/// Distance of a value from the level at the beginning: two symbols and three strengths.
PageData value_cell(const CaseLine& line, double value) {
  constexpr std::array<double, 2> kStronger{0.05, 0.10};
  const double change = value / line.level - 1;
  const std::string tone = tone_of(line, change);
  const std::string title =
      quantity_text(value, line.unit) + ", " + change_text(change, {}, {}).change + "\u00a0%";
  if (tone == "base") return cell("·", "same", title);
  const auto strength =
      1 + std::ranges::count_if(kStronger, [&](double least) { return std::abs(change) >= least; });
  return cell(tone == "slower" ? "▲" : "▼", tone + "-" + std::to_string(strength), title);
}

/// For each case, the line that changed last, else its first line. The latest changes come first,
/// then cases in the newest runs.
std::vector<const CaseLine*> chosen(const std::vector<CaseLine>& cases) {
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> met;
  std::vector<const CaseLine*> rows, all = by_last_change(cases);
  const auto unchanged =
      std::ranges::find_if(all, [](const CaseLine* line) { return line->steps.empty(); });
  std::ranges::stable_sort(unchanged, all.end(), std::ranges::greater(), [](const CaseLine* line) {
    return line->recent.empty() ? 0 : line->recent.back().first + 1;
  });
  for (const CaseLine* line : all)
    if (met.insert({line->suite, line->case_id, line->device_class}).second &&
        rows.size() < kMostCases)
      rows.push_back(line);
  return rows;
}

PageData case_row(const CaseLine& line, const std::string& common_metric, std::size_t from,
                  std::size_t runs) {
  std::map<std::size_t, PageData> known;
  for (const auto& [run, status] : line.failures)
    known[run] = cell("✕", "failed", label_of(*status_named(status)).word.data());
  for (const auto& [run, value] : line.recent) known[run] = value_cell(line, value);
  PageData cells = PageData::array();
  for (std::size_t run = from; run < runs; ++run)
    cells.push_back(known.contains(run) ? known[run] : cell("", "absent", "not measured"));
  return {{"case", case_anchor(line)},
          {"metric", common_metric.empty() ? line.metric : ""},
          {"cells", std::move(cells)}};
}

/// `03-31` from a time, or `03-31 02:00` if several runs began on one day; other text is unchanged.
std::string column_label(std::string started, bool with_time) {
  constexpr std::size_t kFrom = std::size("2026-") - 1, kDay = std::size("03-31") - 1,
                        kTime = std::size("03-31T02:00") - 1;
  if (!moment_of(started) || started.size() < kFrom + kTime) return started;
  started[kFrom + kDay] = ' ';
  return started.substr(kFrom, with_time ? kTime : kDay);
}

/// True if several of the runs began on one day.
bool repeats_days(const std::vector<KeyedRun>& runs, std::size_t from) {
  std::set<std::string> days;
  for (std::size_t i = from; i < runs.size(); ++i)
    if (!days.insert(column_label(runs[i].run->started_at, false)).second) return true;
  return false;
}

/// The metric of all lines; "" if they differ.
std::string common_metric(const std::vector<const CaseLine*>& lines) {
  const bool is_common = std::ranges::all_of(
      lines, [&](const CaseLine* line) { return line->metric == lines.front()->metric; });
  return is_common && !lines.empty() ? lines.front()->metric : "";
}

std::string summary(const std::vector<KeyedRun>& runs, std::size_t from) {
  std::map<std::string_view, std::size_t> nights;
  for (std::size_t i = from; i < runs.size(); ++i) ++nights[called(health_of(*runs[i].run)).word];
  std::string text;
  for (const Health* health : {&kJudged, &kInPart, &kUntold, &kNotCompared})
    if (const auto found = nights.find(health->word); found != nights.end())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", found->second, health->word);
  return fmt::format("Of the last {}: {}.", counted(runs.size() - from, "run"), text);
}

}  // namespace

NightHealth health_of(const SiteRun& run) {
  NightHealth health;
  std::string_view suite, case_id;  // rows of a case are adjacent
  for (const SiteRow& row : run.rows) {
    if (!has_samples(row.status) || (row.suite == suite && row.case_id == case_id)) continue;
    suite = row.suite;
    case_id = row.case_id;
    ++health.measured;
  }
  for (const auto& [word, count] : run.counts) {
    const bool is_untold = word == "UNRESOLVED" || word == "NOT_JUDGED" || word == "MISSING";
    if (word != "NEW") (is_untold ? health.untold : health.judged) += std::stoul(count);
  }
  return health;
}

PageData nights_data(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases) {
  const std::size_t from = runs.size() - std::min(runs.size(), kRecentRuns);
  const bool with_time = repeats_days(runs, from);
  PageData nights = PageData::array(), health = PageData::array(), rows = PageData::array();
  for (std::size_t i = from; i < runs.size(); ++i) {
    PageData night = run_data(*runs[i].run, commit_page_name(runs[i].key));
    night["label"] = column_label(runs[i].run->started_at, with_time);
    night["subject"] = runs[i].run->subject;
    night["card"] = runs[i].run->device_uuid;
    nights.push_back(std::move(night));
    health.push_back(health_cell(*runs[i].run));
  }
  const std::vector<const CaseLine*> shown = chosen(cases);
  const std::string metric = common_metric(shown);
  for (const CaseLine* line : shown) rows.push_back(case_row(*line, metric, from, runs.size()));
  std::set<std::pair<std::string_view, std::string_view>> all;
  for (const CaseLine& line : cases) all.insert({line.suite, line.case_id});
  return {
      {"summary", summary(runs, from)},
      {"columns", runs.size() - from},
      {"metric", metric},
      {"nights", std::move(nights)},
      {"health", std::move(health)},
      {"rows", std::move(rows)},
      {"left_out",
       all.size() > shown.size()
           ? fmt::format("{} of {} cases: those that changed last, then those of the newest runs",
                         shown.size(), all.size())
           : ""}};
}

}  // namespace plumbline
