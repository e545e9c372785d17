/// plumbline fleet: which devices and nodes of a fleet are outside of their class.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "analysis/fleet/texts.h"
#include "cli/command.h"
#include "cli/text_files.h"
#include "core/error.h"
#include "core/visible.h"
#include "core/words.h"
#include "reports/fleet/page.h"
#include "store/file.h"
#include "store/verdict/fleet_file.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "terminal/table.h"
#include "workflow/fleet/fleet_runs.h"

namespace plumbline {
namespace {

struct FleetFlags {
  FleetRequest request;
  double rate = 1, least = 1;  // percent
  std::string output, title, csv, drain, node;
  bool json = false;
};

constexpr std::size_t kMostShown = 40;  // units
constexpr std::size_t kMostCells = 3;   // of a unit

std::string condition_text(const FleetUnit& unit) {
  std::vector<std::string> parts;
  const FleetConditions& seen = unit.conditions;
  if (!std::isnan(seen.temperature_c))
    parts.push_back(fmt::format("{:.0f} °C", seen.temperature_c));
  if (!std::isnan(seen.clock_hz)) parts.push_back(fmt::format("{:.0f} MHz", seen.clock_hz / 1e6));
  if (seen.throttled > 0) parts.push_back(counted(seen.throttled, "case") + " throttled");
  if (seen.failed > 0) parts.push_back(counted(seen.failed, "case") + " failed");
  if (unit.is_stale) parts.push_back("not measured since " + unit.night);
  for (const std::string& what : unit.differs) parts.push_back(what);
  return fmt::format("{}", fmt::join(parts, ", "));
}

void add_unit(const Fleet& fleet, const FleetUnit& unit, Table& table) {
  std::size_t shown = 0;
  const std::string name = unit.is_node ? "whole node" : unit.name;
  for (const std::size_t i : cells_outside(unit, kMostCells)) {
    const FleetCell& cell = unit.cells[i];
    table.add({{unit.host.empty() ? "–" : unit.host},
               {name},
               {fleet.family(unit, i)},
               {deviation_text(cell.deviation), cell.deviation > 0 ? Colour::red : Colour::green},
               {p_text(cell.p)},
               {since_text(cell)},
               {shown == 0   ? condition_text(unit)
                : shown == 1 ? more_outside_text(unit, kMostCells)
                             : ""}});
    ++shown;
  }
  if (shown == 0)
    table.add({{unit.host.empty() ? "–" : unit.host},
               {name},
               {""},
               {"–"},
               {""},
               {""},
               {condition_text(unit)}});
}

std::string units_text(const Fleet& fleet) {
  const std::vector<std::size_t> order = outside_first(fleet);
  Table table({{"host"},
               {"device", Fit::id},
               {"family"},
               {"off", Fit::number},
               {"how sure"},
               {"since", Fit::text},
               {"beside it", Fit::text}});
  for (std::size_t i = 0; i < std::min(order.size(), kMostShown); ++i)
    add_unit(fleet, fleet.units[order[i]], table);
  std::string text = table.empty() ? "" : "\n" + table.text();
  if (order.size() > kMostShown)
    text += fmt::format("and {} more: --json, --csv and the page have all\n",
                        order.size() - kMostShown);
  return text;
}

std::string decision_text(const Fleet& fleet, const FleetDecision& decision) {
  std::string text = "\n";
  for (const DrainedNode& node : decision.drained) {
    text += fmt::format("drain {}\n", node.host);
    for (const std::string& reason : node.reasons) text += "  " + reason + "\n";
  }
  std::size_t watched = 0;
  for (const FleetHit& hit : decision.hits) {
    const FleetUnit& unit = fleet.units[hit.unit];
    if (!hit.is_known || decision.rules[hit.rule].action != FleetAction::watch) continue;
    if (++watched <= kMostShown)
      text += fmt::format("watch {}{}{}: {}\n", unit.host, unit.host.empty() ? "" : ", ", unit.name,
                          hit.why);
  }
  if (watched > kMostShown)
    text +=
        fmt::format("and {} more to watch: --json and the page have all\n", watched - kMostShown);
  for (const std::string& unknown : decision.unknown) text += "cannot tell: " + unknown + "\n";
  if (decision.is_clean()) text += "The rules drain no node.\n";
  return text;
}

std::string drain_text(const FleetDecision& decision) {
  std::string text;
  for (const DrainedNode& node : decision.drained) text += drain_command(node) + "\n";
  return text;
}

std::string fleet_text(const FleetReport& report) {
  std::string text = fleet_sentence(report.fleet) + "\n";
  for (const std::string& remark : fleet_remarks(report.fleet)) text += remark + "\n";
  text += units_text(report.fleet);
  if (!report.decision) return text;
  text += decision_text(report.fleet, *report.decision);
  const std::string commands = drain_text(*report.decision);
  return commands.empty() ? text : text + "\nNothing was executed. For Slurm:\n" + commands;
}

/// Whether a device, or the whole, is of a node; any is of "".
bool is_of(const FleetUnit& unit, const std::string& node) {
  return node.empty() || unit.host == node;
}

void refuse_unknown_node(const Fleet& fleet, const std::string& node) {
  const auto is_its = [&](const FleetUnit& unit) { return is_of(unit, node); };
  if (node.empty() || std::ranges::any_of(fleet.units, is_its)) return;
  throw Error("--node " + visible(node) + ": found no run of this node");
}

/// What the rules say of a node; of all if it is "".
int code_of_rules(const FleetReport& report, const std::string& node) {
  const FleetDecision& decision = *report.decision;
  for (const DrainedNode& drained : decision.drained)
    if (node.empty() || drained.host == node) return kExitRegression;
  const auto is_open = [&](const FleetHit& hit) {
    return !hit.is_known && is_of(report.fleet.units[hit.unit], node);
  };
  const bool is_told =
      node.empty() ? decision.unknown.empty() : std::ranges::none_of(decision.hits, is_open);
  return is_told ? kExitOk : kExitNotJudged;
}

/// Whether a device of a node, or the node, is slower than its class; of all if it is "".
int code_of_times(const Fleet& fleet, const std::string& node) {
  bool is_judged = false, is_slower = false;
  for (const FleetUnit& unit : fleet.units) {
    if (!is_of(unit, node)) continue;
    const FleetClass& of_class = fleet.class_of(unit);
    is_judged = is_judged || (of_class.not_judged.empty() && !of_class.sees_little());
    is_slower = is_slower || unit.is_slower();
  }
  if (is_slower) return kExitRegression;
  return is_judged ? kExitOk : kExitNotJudged;
}

double share_of(const char* flag, double percent, double most) {
  if (!(percent > 0 && percent <= most))
    throw Error(
        fmt::format("{} {}: expected a percentage above 0, at most {}", flag, percent, most));
  return percent / 100;
}

int show_fleet(FleetFlags flags) {
  if (int(flags.json) + int(is_standard_output(flags.csv)) + int(is_standard_output(flags.drain)) >
      1)
    throw Error("more than one text would go to standard output; give files to all except one");
  if (!flags.drain.empty() && flags.request.rules.empty())
    throw Error("--drain lists what rules drain; name them with --rules FILE");
  flags.request.rule.rate = share_of("--rate", flags.rate, 50);
  flags.request.rule.least = std::log1p(share_of("--least", flags.least, 100));
  ConsoleTalk talk;
  const FleetReport report = fleet_of_runs(flags.request, talk);
  refuse_unknown_node(report.fleet, flags.node);
  if (!flags.csv.empty()) write_text_file(flags.csv, fleet_csv(report.fleet));
  if (!flags.drain.empty()) write_text_file(flags.drain, drain_text(*report.decision));
  if (!flags.output.empty()) {
    write_atomically(flags.output, render_fleet(report.fleet, report.decision, flags.title));
    print_note("written: " + std::filesystem::absolute(flags.output).string());
  }
  if (flags.json)
    print_result(fleet_json(report.fleet, report.decision));
  else if (!is_standard_output(flags.csv) && !is_standard_output(flags.drain))
    print_text(fleet_text(report));
  return report.decision ? code_of_rules(report, flags.node)
                         : code_of_times(report.fleet, flags.node);
}

}  // namespace

Command fleet_command() {
  return {
      "fleet", "Find slow GPUs and nodes of a fleet, and which to drain", [](CLI::App& app) {
        auto flags = std::make_shared<FleetFlags>();
        app.add_option(
               "RUN", flags->request.runs,
               "runs of the devices, merged ones too, or folders of runs; of several nights "
               "to tell since when")
            ->required();
        app.add_option("--rules", flags->request.rules, "rules that say which devices to drain")
            ->type_name("FILE");
        add_text_file(app, "--drain", flags->drain,
                      "a command `scontrol update … State=DRAIN` for each node to drain");
        app.add_option("--node", flags->node, "the exit code is about this node alone, by its host")
            ->type_name("HOST");
        add_metrics_flag(app, flags->request.metrics, "only these metrics [all judged ones]");
        app.add_option("--rate", flags->rate,
                       "highest probability that a fleet without a bad device shows one, in % [1]")
            ->type_name("PERCENT");
        app.add_option("--least", flags->least, "smallest deviation that counts, in % [1]")
            ->type_name("PERCENT");
        app.add_flag("--pool-nights", flags->request.pools_nights,
                     "take all runs as one night: for suites whose cases are spread over devices");
        app.add_option("-o,--output", flags->output, "write a page to this file")
            ->type_name("FILE");
        app.add_option("--title", flags->title, "title of the page")->type_name("TEXT");
        add_text_file(app, "--csv", flags->csv, "a row for each device or node, and family");
        app.add_flag("--json", flags->json, "print everything as JSON");
        app.footer(
            "Devices are compared with their class (model, power limit, MIG, ECC), in each family "
            "(op) of cases. A deviation is the median over a family's cases of the distance to the "
            "median of the class in that night; +5 % takes 5 % longer. A class that falls into two "
            "kinds, such as two makes of one model, is told so, and each kind is compared with "
            "itself. All devices, nodes and families together are one set of tests: --rate limits "
            "the probability of any false outlier. A class needs four devices, and a case is "
            "compared where three devices of the class measured it in the same night (noon to "
            "noon, "
            "UTC).\n\nDraining is only printed, never executed.\nExit codes: with --rules 0 "
            "nothing "
            "to drain; 1 a node to drain; 3 a rule cannot be told. Without: 0 no device is slower "
            "than its class; 1 one is; 3 no device can be judged, or half of those 5 % off may be "
            "missed. 2 a mistake in usage, rules or "
            "input.");
        return Action([flags](const auto&) { return show_fleet(*flags); });
      }};
}

}  // namespace plumbline
