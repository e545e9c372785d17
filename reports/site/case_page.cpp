/// The page of a case: its time now, its changes, the data of its chart, and the script that
/// contains the runs.
#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/compare/judge.h"
#include "core/run/direction.h"
#include "reports/cells.h"
#include "reports/markup.h"
#include "reports/past.h"
#include "reports/site/frame.h"
#include "reports/site/site.h"
#include "reports/units.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

/// The latest value.
std::string latest(const Series& series) {
  const PastSpread spread = series.spread(series.values.size() - 1);
  std::optional<double> half_width;
  if (std::isfinite(spread.high - spread.low)) half_width = (spread.high - spread.low) / 2;
  return quantity_text(series.values.back().estimate, series.unit, half_width);
}

const PastRun& run_of(const SiteCase& shown, const Series& series, std::size_t at) {
  return (*shown.runs)[series.values[at].run];
}

PageData run_link(const PastRun& run) { return run_data(run, "../" + commit_page_name(run.path)); }

/// If the direction is unknown, less is better, as for times: changes are coloured anyway.
bool is_less_better(const Series& series) {
  static const RunInfo kNothingSaid;
  return better_of(kNothingSaid, series.metric, series.unit).value_or(Better::less) == Better::less;
}

PageData change_data(const SiteCase& shown, const Series& series, const ChangePoint& change) {
  const double moved = std::expm1(change.after - change.before);
  return {{"tone", (moved > 0) == is_less_better(series) ? "slower" : "faster"},
          {"change", change_text(moved, {}, {}).change + " %"},
          {"run", run_link(run_of(shown, series, change.at))},
          {"is_moved", is_of_device(*shown.runs, series, change.at)}};
}

bool is_drifting(const SeriesReading& reading) {
  return reading.drift && reading.drift->is_told(HistoryRule{}.level);
}

std::string drift_change(const Drift& drift) {
  return change_text(std::expm1(drift.change), {}, {}).change + "\u00a0%";
}

/// A slow change, which no single commit began.
std::string drift_text(const SeriesReading& reading) {
  if (!is_drifting(reading)) return "";
  return drift_change(*reading.drift) + " over the last " +
         number_text(double(reading.drift->runs), 0) + " runs";
}

PageData series_data(const SiteCase& shown, std::size_t i) {
  const Series& series = shown.series[i];
  const SeriesReading& reading = shown.readings[i];
  const std::size_t runs = series.values.size();
  PageData changes = PageData::array();
  for (const ChangePoint& change : reading.changes)
    changes.push_back(change_data(shown, series, change));
  const std::string drift = drift_text(reading);
  const bool is_none = changes.empty() && !reading.last_is_apart && drift.empty();
  return {{"number", i},
          {"metric", series.metric},
          {"device", series.device_class},
          {"revision", series.revision},
          {"latest", latest(series)},
          {"verdict", verdict_data(shown.verdicts[i].back())},
          {"run", run_link(run_of(shown, series, runs - 1))},
          {"is_apart", reading.last_is_apart},
          {"drift", drift},
          {"none", is_none ? "No change was found among " + number_text(double(runs), 0) +
                                 (runs == 1 ? " run." : " runs.")
                           : ""},
          {"changes", changes.empty() ? PageData() : PageData{{"list", std::move(changes)}}}};
}

/// The data of a series' chart.
PageData chart_data(const SiteCase& shown, std::size_t i) {
  const Series& series = shown.series[i];
  PageData values = PageData::array(), changes = PageData::array();
  for (std::size_t k = 0; k < series.values.size(); ++k) {
    const PastValue& value = series.values[k];
    values.push_back({run_of(shown, series, k).path, value.estimate, series.spread(k).low,
                      series.spread(k).high, shown.verdicts[i][k]});
  }
  for (const ChangePoint& change : shown.readings[i].changes)
    changes.push_back({change.at, std::exp(change.before), std::exp(change.after)});
  return {{"metric", series.metric},
          {"unit", series.unit},
          {"values", std::move(values)},
          {"changes", std::move(changes)},
          {"last_is_apart", shown.readings[i].last_is_apart}};
}

/// The level at the first of the shown values; for a drifting series, that of the first few.
double level_at(const SeriesReading& reading, const Series& series, std::size_t from) {
  constexpr std::size_t kFew = 5;
  for (const ChangePoint& change : reading.changes)
    if (change.at > from) return std::exp(change.before);
  std::vector<double> values;
  const std::size_t all = series.values.size();
  for (std::size_t k = from; k < (is_drifting(reading) ? std::min(all, from + kFew) : all); ++k)
    values.push_back(series.values[k].estimate);
  return reading.changes.empty() ? median(values) : std::exp(reading.changes.back().after);
}

CaseLine line_of(const SiteCase& shown, std::size_t i) {
  const Series& series = shown.series[i];
  const SeriesReading& reading = shown.readings[i];
  CaseLine line{std::string(shown.suite),
                std::string(shown.case_id),
                series.metric,
                series.device_class,
                latest(series),
                std::string(shown.verdicts[i].back()),
                std::string(shown.status),
                {},
                series.values.size()};
  line.last_is_apart = reading.last_is_apart;
  if (is_drifting(reading)) line.drift = drift_change(*reading.drift);
  line.unit = series.unit;
  line.is_less_better = is_less_better(series);
  if (i < shown.regressions.size()) line.regressions = shown.regressions[i];
  for (const ChangePoint& change : reading.changes)
    line.steps.push_back(
        {run_of(shown, series, change.at).path, std::expm1(change.after - change.before),
         is_of_device(*shown.runs, series, change.at), series.values[change.at].run});
  const std::size_t from = series.values.size() - std::min(series.values.size(), kRecentRuns);
  for (std::size_t k = from; k < series.values.size(); ++k)
    line.recent.emplace_back(series.values[k].run, series.values[k].estimate);
  line.level = level_at(reading, series, from);
  return line;
}

}  // namespace

std::vector<CaseLine> lines_of(const SiteCase& shown) {
  std::vector<CaseLine> lines;
  for (std::size_t i = 0; i < shown.series.size(); ++i) lines.push_back(line_of(shown, i));
  if (lines.empty())
    lines.push_back({std::string(shown.suite),
                     std::string(shown.case_id),
                     "",
                     "",
                     "–",
                     "",
                     std::string(shown.status),
                     {},
                     0});
  CaseLine& first = lines.front();
  first.regressions.insert(first.regressions.end(), shown.breakages.begin(), shown.breakages.end());
  for (CaseLine& line : lines)
    for (const Absence& absence : shown.absences)
      line.failures.emplace_back(absence.run, absence.status);
  return lines;
}

std::string render_case_page(const SiteCase& shown) {
  PageData series = PageData::array(), charts = PageData::array(), absences = PageData::array();
  for (std::size_t i = 0; i < shown.series.size(); ++i) {
    series.push_back(series_data(shown, i));
    charts.push_back(chart_data(shown, i));
  }
  for (const Absence& absence : shown.absences) absences.push_back({absence.key, absence.status});
  const std::string title = std::string(shown.case_id.substr(0, 200)) + " · Plumbline";
  PageData data = PageData::array();
  data.push_back(
      {{"name", "case"}, {"json", script_json({{"series", charts}, {"absences", absences}})}});
  return framed({title, "../", true}, "site/case",
                {{"suite", shown.suite}, {"case", case_data(shown.case_id)}, {"series", series}},
                std::move(data));
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
