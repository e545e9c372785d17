/// plumbline history: a case over its runs, with its changes and its trend.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "analysis/compare/judge.h"
#include "cli/command.h"
#include "core/words.h"
#include "reports/units.h"
#include "store/json/json_fields.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "terminal/table.h"
#include "workflow/results/past_runs.h"

namespace plumbline {
namespace {

struct HistoryFlags {
  HistoryRequest request;
  bool json = false;
};

std::string percent_of_log(double log) { return percent_text(std::expm1(log)); }

std::string runs_table(const History& history, const Series& series, const SeriesReading& reading) {
  Table table({{"run"},
               {"commit"},
               {series.metric, Fit::number},
               {"against the run before", Fit::number},
               {"", Fit::text}});
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const PastValue& value = series.values[i];
    const PastSpread spread = series.spread(i);
    const PastRun& run = history.runs[value.run];
    const auto change = std::ranges::find(reading.changes, i, &ChangePoint::at);
    const double step =
        i == 0 ? kUnknown : std::log(value.estimate / series.values[i - 1].estimate);
    table.add(
        {{run.started_at},
         {run.commit.substr(0, 10)},
         {quantity_text(value.estimate, series.unit,
                        std::isfinite(spread.high - spread.low)
                            ? std::optional((spread.high - spread.low) / 2)
                            : std::nullopt)},
         {i == 0 ? "" : percent_of_log(step)},
         {change == reading.changes.end()
              ? ""
              : fmt::format("changed: {} (p = {:.3g}){}",
                            percent_of_log(change->after - change->before), change->p_value,
                            is_of_device(history.runs, series, i) ? ", with the device" : "")}});
  }
  return table.text();
}

/// Says "no change" only if a change could have been detected.
std::string changes_text(const Series& series, const SeriesReading& reading,
                         const HistoryRule& rule) {
  std::string last = reading.last_is_apart
                         ? "the last run differs, but too few runs follow to place a change"
                         : "";
  if (!reading.changes.empty())
    return counted(reading.changes.size(), "change") + (last.empty() ? "" : "; " + last);
  if (!last.empty()) return last;
  if (series.values.size() < 2 * rule.search.min_size)
    return fmt::format("no change stands out; small ones are told from {} runs on",
                       2 * rule.search.min_size);
  return "no change";
}

/// How often the case's processes are in the slower of two modes, and since when.
std::string modes_text(const History& history, const Series& series, const SeriesReading& reading,
                       const HistoryRule& rule) {
  if (reading.visits < kVisitsForModes)
    return fmt::format("modes need {} visits, found {}\n", kVisitsForModes, reading.visits);
  if (!reading.modes) return fmt::format("no two modes in {} visits\n", reading.visits);
  const ModeChange& found = *reading.modes;
  const auto share = [](const ModeCounts& counts) {
    return fmt::format("{} of {} visits in the slower one", counts.slow, counts.visits);
  };
  const std::string modes =
      fmt::format("two modes of processes {} apart", percent_of_log(found.modes.gap).substr(1));
  if (found.at == 0 || found.p_value > rule.level) {
    ModeCounts all = found.now;
    if (found.at > 0) all = {all.slow + found.before.slow, all.visits + found.before.visits};
    return fmt::format("{}: {}, which did not change{}\n", modes, share(all),
                       found.at == 0 ? " as far as so few show" : "");
  }
  const PastRun& first = history.runs[series.values[found.at].run];
  return fmt::format("{}: {}, since {} {} (p = {:.2g} over all places)\n", modes,
                     share(found.before), first.started_at, share(found.now), found.p_value);
}

std::string tails_text(const History& history, const Series& series, const SeriesReading& reading) {
  std::string text;
  for (const ChangePoint& change : reading.tail_changes)
    text += fmt::format("tail (95th percentile / median of its blocks): {} since {} (p = {:.3g})\n",
                        percent_of_log(change.after - change.before),
                        history.runs[series.values[change.at].run].started_at, change.p_value);
  return text;
}

std::string words_of(const History& history, const Series& series, const SeriesReading& reading,
                     const HistoryRule& rule) {
  std::string text =
      fmt::format("{}, {} on {}: {}\n", series.metric, counted(series.values.size(), "run"),
                  series.device_class, changes_text(series, reading, rule));
  if (reading.drift) {
    const Drift& drift = *reading.drift;
    text += fmt::format("{} over the last {} runs: {} [{}, {}], p = {:.3g}\n",
                        drift.is_told(rule.level) ? "drifts" : "no drift", drift.runs,
                        percent_of_log(drift.change), percent_of_log(drift.low),
                        percent_of_log(drift.high), drift.p_value);
  } else {
    text += fmt::format("drift is told from {} runs after the last change on\n", rule.drift_from);
  }
  text += tails_text(history, series, reading);
  text += modes_text(history, series, reading, rule);
  if (reading.since_anchor)
    text += "since the anchor: " + percent_of_log(*reading.since_anchor) + "\n";
  return text;
}

Json json_of(const History& history, const Series& series, const SeriesReading& reading) {
  Json values = Json::array(), changes = Json::array(), tail_changes = Json::array();
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const PastValue& value = series.values[i];
    const PastRun& run = history.runs[value.run];
    values.push_back({{"run", run.path},
                      {"started_at", run.started_at},
                      {"commit", run.commit},
                      {"device", run.device_uuid},
                      {"estimate", value.estimate},
                      {"low", series.spread(i).low},
                      {"high", series.spread(i).high}});
  }
  const auto add_changes = [&](const std::vector<ChangePoint>& found, Json& list) {
    for (const ChangePoint& change : found)
      list.push_back({{"at", change.at},
                      {"run", history.runs[series.values[change.at].run].path},
                      {"change", std::expm1(change.after - change.before)},
                      {"p_value", change.p_value},
                      {"with_device", is_of_device(history.runs, series, change.at)}});
  };
  add_changes(reading.changes, changes);
  add_changes(reading.tail_changes, tail_changes);
  Json drift;
  if (reading.drift)
    drift = {{"change", std::expm1(reading.drift->change)},
             {"low", std::expm1(reading.drift->low)},
             {"high", std::expm1(reading.drift->high)},
             {"runs", reading.drift->runs},
             {"p_value", reading.drift->p_value}};
  Json modes;
  if (reading.modes) {
    const ModeChange& found = *reading.modes;
    const auto counts = [](const ModeCounts& of) {
      return Json{{"slow", of.slow}, {"visits", of.visits}};
    };
    modes = {{"gap", std::expm1(found.modes.gap)},
             {"before", counts(found.before)},
             {"now", counts(found.now)},
             {"at", found.at > 0 ? Json(found.at) : Json()},
             {"p_value", found.p_value}};
  }
  const auto change_of = [](const std::optional<double>& log) {
    return log ? Json(std::expm1(*log)) : Json();
  };
  return {{"suite", series.suite},
          {"case", series.case_id},
          {"metric", series.metric},
          {"unit", series.unit},
          {"revision", series.revision},
          {"device_class", series.device_class},
          {"values", values},
          {"changes", changes},
          {"last_is_apart", reading.last_is_apart},
          {"drift", drift},
          {"visits", reading.visits},
          {"modes", modes},
          {"tail_changes", tail_changes},
          {"since_previous", change_of(reading.since_previous)},
          {"since_anchor", change_of(reading.since_anchor)}};
}

int show_history(const HistoryFlags& flags) {
  ConsoleTalk talk;
  const CaseHistory found = history_of_case(flags.request, talk);
  Json list = Json::array();
  std::string text;
  for (const CaseSeries& one : found.series) {
    const Series& series = found.history.series[one.series];
    list.push_back(json_of(found.history, series, one.reading));
    text += (text.empty() ? "" : "\n") + runs_table(found.history, series, one.reading) +
            words_of(found.history, series, one.reading, found.rule);
  }
  flags.json ? print_result(json_text(list)) : print_text(text);
  return kExitOk;
}

}  // namespace

Command history_command() {
  return {"history", "Show a case over its runs: values, changes, drift", [](CLI::App& app) {
            auto flags = std::make_shared<HistoryFlags>();
            app.add_option("CASE", flags->request.case_id, "the id of the case")->required();
            add_runs_flag(app, flags->request.places);
            add_metrics_flag(app, flags->request.metrics, "only these metrics");
            app.add_option("--anchor", flags->request.anchor,
                           "the run to compare the last one with, as its path; else the first")
                ->type_name("RUN");
            app.add_flag("--json", flags->json, "print JSON");
            app.footer(
                "Runs of another device class, another revision of the problem, another unit or "
                "another meaning of the metrics are series of their own.\nExit codes: 0; 2 no such "
                "case, or a run that cannot be read.");
            return Action([flags](const auto&) { return show_history(*flags); });
          }};
}

}  // namespace plumbline
