#include "cli/paired_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "cli/console.h"
#include "cli/run_output.h"
#include "cli/run_plan.h"
#include "core/error.h"
#include "schedule/pairs.h"

namespace plumbline {
namespace {

constexpr std::array<const char*, 2> kSideNames{"a", "b"};

/// One side: its build, and the run directory that it is measured into.
struct MeasuredSide {
  BuiltTree tree;
  RunPlan plan;
  std::unique_ptr<RunWriter> writer;
  Run run;  // what was measured so far
};

MeasuredSide plan_side(const PairedRequest& request, const BuiltTree& tree) {
  RunPlan plan =
      plan_run(request.run, tree.worker, request.project, request.files, request.command);
  if (plan.devices.size() != 1)
    throw Error("--device " + request.run.worker.device + ": pairs are measured on one device");
  plan.info.environment.commit = tree.commit;
  plan.info.environment.dirty = tree.dirty;
  return {tree, std::move(plan), nullptr, {}};
}

/// The same device, and the same cases: what differs is the build.
void check_sides(const std::array<MeasuredSide, 2>& sides) {
  const Environment &a = sides[0].plan.info.environment, &b = sides[1].plan.info.environment;
  if (a.device_uuid != b.device_uuid)
    throw Error("the two trees' workers chose different devices: " + a.device_uuid + " and " +
                b.device_uuid + "; name one with --device");
}

PairWorkerFactory factory_of(const MeasuredSide& side, bool own_placements, Interrupt& interrupt) {
  WorkerCommand command =
      side.tree.worker.command(side.plan.devices.front(), side.writer->path() + "/worker.log");
  command.has_partner = true;
  command.has_successor = has_spare_cpu(kSideNames.size());
  return [=, start = pair_worker_processes(std::move(command), &interrupt)](
             WorkerKind kind, const std::string& arena) {
    return start(kind, own_placements ? "" : arena);
  };
}

/// Pairs up to each look, until nothing is open. False where the user stopped it.
bool measure(std::array<MeasuredSide, 2>& sides, bool own_placements, PairedTrial& trial,
             std::size_t& apart, Interrupt& interrupt) {
  const std::vector<Case>& cases = sides[0].plan.loaded.cases;
  const RunInfo& info = sides[0].plan.info;
  RunProgress progress(info.expected, "pair");
  PairEvents events;
  events.on_visit = [&](Side side, const Case& c, std::span<const ResultRow> rows) {
    MeasuredSide& measured = sides[std::size_t(side)];
    measured.writer->append_visit(rows);
    measured.run.rows.insert(measured.run.rows.end(), rows.begin(), rows.end());
    progress.on_visit(c, rows);
  };
  events.on_worker = [&](Side side, const WorkerRecord& record) {
    sides[std::size_t(side)].writer->record_worker(record);
  };
  events.on_progress = [&](const Case& c, const Progress& p) { progress.on_progress(c, p); };
  events.on_note = [&](const std::string& note) { progress.on_note(note); };
  const Plan plan{
      cases, info.policy.seed, {}, info.environment.device_uuid, {}, info.environment.device_kind};
  const std::array factories{factory_of(sides[0], own_placements, interrupt),
                             factory_of(sides[1], own_placements, interrupt)};
  std::set<std::size_t> left_out;
  std::size_t pairs = 0;
  for (std::size_t look = 0; !trial.is_done(); ++look) {
    const std::size_t until = trial.rule().looks[look];
    const PairsResult result = run_pairs(plan, std::int64_t(pairs), std::int64_t(until), factories,
                                         events, &interrupt, left_out);
    apart += result.apart;
    if (result.interrupted) return false;
    pairs = until;
    trial.look_at(sides[0].run, sides[1].run, look);
    for (std::size_t i = 0; i < cases.size(); ++i)
      if (!trial.is_open({cases[i].suite, cases[i].id})) left_out.insert(i);
  }
  progress.end();
  return true;
}

void open_side(MeasuredSide& side, const std::string& folder, std::size_t i) {
  const std::string path = folder + "/" + kSideNames[i];
  if (std::filesystem::exists(path + "/run.json"))
    throw Error(path + ": found a run in it; pairs are not gone on with: name another folder");
  side.plan.info.started_at = now_utc();
  side.writer = std::make_unique<RunWriter>(path, side.plan.info);
  side.run.info = side.plan.info;
  side.run.path = std::filesystem::absolute(side.writer->path()).string();
}

}  // namespace

void add_pair_flags(CLI::App& app, PairFlags& flags) {
  app.add_option("--looks", flags.looks,
                 "numbers of pairs after which cases are judged and decided ones end [12 24 48]")
      ->delimiter(',')
      ->type_name("PAIRS");
  app.add_option("--margin", flags.margin,
                 "SAME is an interval inside of ± this share [2% on a GPU, 5% on a CPU]")
      ->type_name("SHARE");
  app.add_option("--threshold", flags.threshold,
                 "smallest change that is called SLOWER or FASTER [0.5% on a GPU, 3% on a CPU]")
      ->type_name("SHARE");
  app.add_option("--controls", flags.controls,
                 "share of the cases, at least one case, of which the baseline's build is measured "
                 "beside itself, in pairs: what alarms there is false; 1% to 5%, or 0 [2%]")
      ->type_name("SHARE");
  app.add_flag("--own-placements", flags.own_placements,
               "each build measures in memory of its own, as where none can be shared: placements "
               "do not cancel");
}

double control_share_of(const PairFlags& flags) {
  if (flags.controls.empty()) return DecisionRule{}.control_share;
  if (flags.controls == "0" || flags.controls == "0%") return 0;
  const double share = fraction_of("--controls", flags.controls);
  if (share < 0.01 || share > 0.05)
    throw Error("--controls " + flags.controls + ": expected 1% to 5%, or 0 for none");
  return share;
}

PairedRule rule_of(const PairFlags& flags, std::string_view device_kind) {
  PairedRule rule = default_paired_rule(device_kind);
  if (!flags.looks.empty()) rule.looks = flags.looks;
  if (!flags.margin.empty()) rule.margin = fraction_of("--margin", flags.margin);
  if (!flags.threshold.empty()) rule.effect_floor = fraction_of("--threshold", flags.threshold);
  require_rule(rule);
  return rule;
}

PairedRun run_in_pairs(PairedRequest request) {
  const std::size_t most = rule_of(request.pairs, "cuda").looks.back();
  request.run.suite.policy["rounds"] = std::to_string(most);
  std::array sides{plan_side(request, request.trees[0]), plan_side(request, request.trees[1])};
  check_sides(sides);
  const RunPlan& plan = sides[0].plan;
  for (const std::string& note : plan.loaded.notes) print_note(note);
  const auto locks = lock_devices(plan);
  Interrupt interrupt;  // before there is anything to name
  for (std::size_t i = 0; i < sides.size(); ++i) open_side(sides[i], request.folder, i);
  CompareOptions options;
  for (const Case& c : plan.loaded.cases)
    if (c.threshold) options.thresholds[{c.suite, c.id}] = *c.threshold;
  for (const Suite& suite : plan.loaded.suites)
    for (const auto& [before, after] : suite.renames) options.renames[{suite.name, before}] = after;
  PairedTrial trial(rule_of(request.pairs, plan.info.environment.device_kind), options.thresholds);
  say(fmt::format("{} in up to {} pairs on {} ({}), into {}\n",
                  counted(plan.loaded.cases.size(), "case"), most,
                  plan.info.environment.device_class, device_names(plan), request.folder));
  std::size_t apart = 0;
  const bool is_whole = measure(sides, request.pairs.own_placements, trial, apart, interrupt);
  if (!is_whole)
    say(fmt::format(
        "interrupted; what was measured is in {}, and judges nothing: pairs are measured "
        "anew, into another folder\n",
        request.folder));
  for (MeasuredSide& side : sides)
    if (is_whole) side.writer->finish(side.run.info.finished_at = now_utc());
  return {{std::move(sides[0].run), std::move(sides[1].run)},
          std::move(trial),
          std::move(options),
          is_whole ? 0 : interrupt.signal_number(),
          apart};
}

void note_placements(const PairedRun& measured, Comparison& comparison) {
  if (measured.apart == 0) return;
  comparison.notes.push_back(
      fmt::format("{} of workers measured in memory of their own: placements did not cancel there.",
                  counted(measured.apart, "pair")));
}

}  // namespace plumbline
