/// plumbline variance: which level causes the scatter of each case, and how much runs of the same
/// code differ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/command.h"
#include "core/words.h"
#include "reports/units.h"
#include "store/json/json_fields.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "terminal/table.h"
#include "workflow/results/run_variance.h"

namespace plumbline {

namespace {
/// For JSON, where unknown numbers are null.
std::optional<double> known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}
}  // namespace

void describe(JsonWriter& io, const Component& component) {
  io("sd", known(component.sd()));
  io("df", component.df);
  io("sd_in_estimate", known(std::sqrt(component.in_estimate)));
}

void describe(JsonWriter& io, const Trend& trend) {
  io("per_second", known(trend.per_second));
  io("change", known(trend.change));
  io("error", known(trend.error));
  io("rising", trend.rising);
  io("falling", trend.falling);
  io("sign_p", known(trend.sign_p));
  io("sd", known(std::sqrt(trend.variance)));
}

void describe(JsonWriter& io, const CaseVariance& row) {
  io("suite", row.suite);
  io("case", row.case_id);
  io("revision", row.revision);
  io("metric", row.metric);
  io("unit", row.unit);
  io("visits", row.visits);
  io("blocks", row.blocks);
  io("samples", row.samples);
  io("set_aside", row.set_aside);
  std::vector<std::optional<double>> estimates;
  for (const double value : row.estimates) estimates.push_back(known(value));
  io("estimates", estimates);
  io("reason", row.reason);
  for (std::size_t i = 0; i < row.levels.size(); ++i) io(kLevelNames[i], row.levels[i]);
  io("trend", row.trend);
  io("devices", row.devices);
  io("run_holds_devices", row.run_holds_devices);
  io("dominant", row.dominant ? std::optional(std::string(name_of(*row.dominant))) : std::nullopt);
}

void describe(JsonWriter& io, const MetricVariance& metric) {
  io("metric", metric.metric);
  io("cases", metric.cases);
  for (std::size_t i = 0; i < metric.sd.size(); ++i)
    io(fmt::format("{}_sd", kLevelNames[i]), known(metric.sd[i]));
  io("trend", known(metric.trend));
  for (std::size_t i = 0; i < metric.sd.size(); ++i)
    io(fmt::format("dominated_by_{}", kLevelNames[i]), metric.dominated_by[i]);
}

void describe(JsonWriter& io, const Agreement& row) {
  io("metric", row.metric);
  io("runs", row.runs);
  io("at_least_s", row.at_least_s);
  io("count", row.count);
  io("median", row.median);
  io("p90", row.p90);
  io("p99", row.p99);
  io("max", row.max);
  io("max_case", row.max_case);
}

void describe(JsonWriter& io, const Run& run) {
  io("path", run.path);
  io("started_at", run.info.started_at);
}

namespace {

constexpr std::size_t kMostDepartures = 50;

struct VarianceFlags {
  VarianceRequest request;
  bool json = false;
};

std::string percent_or_dash(double fraction) {
  if (std::isnan(fraction)) return "–";
  return (fraction < 0 ? "\u2212" : "") + percent_digits(100 * fraction, 2) + " %";
}

std::string sd_text(const CaseVariance& row, Level level) {
  return percent_or_dash(row.of(level).sd());
}

/// What the dominant level contributes to an estimate.
std::string dominant_text(const CaseVariance& row) {
  if (!row.dominant) return row.reason.empty() ? "–" : row.reason;
  return fmt::format("{} {}", percent_or_dash(std::sqrt(row.of(*row.dominant).in_estimate)),
                     name_of(*row.dominant));
}

std::string trend_text(const Trend& trend) {
  if (std::isnan(trend.change)) return number_text(kUnknown, 0);
  return fmt::format("{} ± {}", signed_percent(100 * trend.change, 2),
                     percent_or_dash(trend.error));
}

/// Appends a column for each level of the scatter to `columns`.
std::vector<Table::Column> with_levels(std::vector<Table::Column> columns) {
  for (const char* level :
       {"launch", "revisit", "placement", "block", "trend", "process", "run", "device"})
    columns.push_back({level, Fit::number});
  columns.push_back({"most in the estimate", Fit::text});
  return columns;
}

std::string levels_text(const std::vector<CaseVariance>& table) {
  Table shown(with_levels({{"case", Fit::id}, {"metric", Fit::id}, {"value", Fit::number}}));
  using enum Level;
  for (const CaseVariance& row : table)
    shown.add({{row.case_id},
               {row.metric},
               {quantity_text(row.estimate, row.unit)},
               {sd_text(row, launch)},
               {sd_text(row, revisit)},
               {sd_text(row, placement)},
               {sd_text(row, block)},
               {trend_text(row.trend)},
               {sd_text(row, process)},
               {sd_text(row, run)},
               {sd_text(row, device)},
               {dominant_text(row)}});
  return shown.text();
}

std::string metrics_text(const std::vector<MetricVariance>& metrics) {
  Table shown(with_levels({{"median over cases"}, {"cases", Fit::number}}));
  for (const MetricVariance& metric : metrics) {
    const auto sd = [&](Level level) {
      return Table::Cell{percent_or_dash(metric.sd[static_cast<std::size_t>(level)])};
    };
    std::string dominants;
    for (std::size_t i = 0; i < kLevelNames.size(); ++i)
      if (metric.dominated_by[i] > 0)
        dominants += fmt::format("{}{} {}", dominants.empty() ? "" : ", ", metric.dominated_by[i],
                                 kLevelNames[i]);
    using enum Level;
    shown.add({{metric.metric},
               {std::to_string(metric.cases)},
               sd(launch),
               sd(revisit),
               sd(placement),
               sd(block),
               {percent_or_dash(metric.trend)},
               sd(process),
               sd(run),
               sd(device),
               {dominants.empty() ? "–" : dominants}});
  }
  return shown.text();
}

std::string agreement_text(const AgreementTable& found, const std::vector<CaseVariance>& table) {
  Table ratios({{"metric", Fit::id},
                {"runs"},
                {"launches"},
                {"n", Fit::number},
                {"median", Fit::number},
                {"p90", Fit::number},
                {"p99", Fit::number},
                {"max", Fit::number},
                {"case of the max", Fit::id}});
  for (const Agreement& row : found.rows)
    ratios.add({{row.metric},
                {row.runs},
                {row.at_least_s > 0 ? "≥ " + quantity_text(row.at_least_s, "s") : "all"},
                {std::to_string(row.count)},
                {percent_or_dash(row.median)},
                {percent_or_dash(row.p90)},
                {percent_or_dash(row.p99)},
                {percent_or_dash(row.max)},
                {row.max_case}});
  std::string text = "|ratio - 1| of the estimates\n" + ratios.text();
  if (found.not_in_all > 0)
    text += fmt::format("{} × metric not in all runs\n", counted(found.not_in_all, "case"));
  if (found.departures.empty()) return text + "none apart by more than 1 %\n";
  Table apart({{"apart by", Fit::number},
               {"runs"},
               {"case", Fit::id},
               {"metric", Fit::id},
               {"value", Fit::number},
               {"most in the estimate", Fit::text}});
  for (std::size_t i = 0; i < std::min(found.departures.size(), kMostDepartures); ++i) {
    const Departure& one = found.departures[i];
    const CaseVariance& row = table[one.row];
    apart.add({{signed_percent(100 * one.change, 2) + " %"},
               {fmt::format("{} and {}{}", one.first + 1, one.second + 1,
                            one.is_across ? ", across" : "")},
               {row.case_id},
               {row.metric},
               {quantity_text(row.estimate, row.unit)},
               {dominant_text(row)}});
  }
  text += "\n" + apart.text();
  if (found.departures.size() > kMostDepartures)
    text += fmt::format("and {} more\n", found.departures.size() - kMostDepartures);
  return text;
}

std::string as_json(const RunVariances& found) {
  JsonWriter io;
  io("runs", found.runs);
  io("cases", found.table);
  io("metrics", variance_by_metric(found.table));
  if (!found.agreement) return json_text(io.object());
  io("agreement", found.agreement->rows);
  io("not_in_all", found.agreement->not_in_all);
  Json json = io.object();
  json["departures"] = Json::array();
  for (const Departure& one : found.agreement->departures) {
    const CaseVariance& row = found.table[one.row];
    json["departures"].push_back({{"case", row.case_id},
                                  {"metric", row.metric},
                                  {"runs", {one.first + 1, one.second + 1}},
                                  {"is_across", one.is_across},
                                  {"change", one.change}});
  }
  return json_text(json);
}

int show_variance(const VarianceFlags& flags) {
  ConsoleTalk talk;
  const RunVariances found = variance_of_runs(flags.request, talk);
  if (flags.json) {
    print_result(as_json(found));
    return kExitOk;
  }
  std::string text;
  if (found.agreement)
    for (std::size_t i = 0; i < found.runs.size(); ++i)
      text += fmt::format("run {}: {}\n", i + 1, found.runs[i].path);
  text +=
      found.agreement ? agreement_text(*found.agreement, found.table) : levels_text(found.table);
  print_text(text + "\n" + metrics_text(variance_by_metric(found.table)));
  return kExitOk;
}

}  // namespace

Command variance_command() {
  return {
      "variance", "Show where the scatter of each case comes from, and how far runs differ",
      [](CLI::App& app) {
        auto flags = std::make_shared<VarianceFlags>();
        app.add_option("RUN", flags->request.runs, "runs of the same thing on one device class")
            ->required();
        add_metrics_flag(app, flags->request.metrics, "only these metrics");
        add_list_flag(app, "--filter", flags->request.filters,
                      "part of a case id, or a pattern of all of it with * and ?; '!…' must "
                      "not fit")
            ->type_name("TEXT");
        app.add_flag("--pairs", flags->request.pairs,
                     "how far apart runs 1 and 2, 3 and 4, … are, and each pair from the next");
        app.add_flag("--json", flags->json, "print everything as JSON");
        app.footer(
            "Levels, as relative standard deviations:\n  launch     between samples of a block, "
            "robust\n  revisit    between blocks at one placement in memory\n  placement  between "
            "placements of a visit, beyond revisits\n  block      between blocks of a visit: both "
            "together\n  trend      change from the first to the last block of a visit, mean ± "
            "standard error\n  process    between visits of a run, beyond blocks\n  run        "
            "between runs of a device, beyond visits; with one run each: and devices\n  device     "
            "between devices of the class (by UUID), beyond runs\n'–': the data cannot tell (no "
            "placement visited twice, one round, run or device). 'most in the estimate' is the "
            "level that adds most to the scatter of one run's estimate, and what it adds.\nExit "
            "codes: 0; 2 a mistake, an unreadable file, or nothing to show.");
        return Action([flags](const auto&) { return show_variance(*flags); });
      }};
}

}  // namespace plumbline
