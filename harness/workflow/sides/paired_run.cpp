#include "workflow/sides/paired_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/moment.h"
#include "core/words.h"
#include "schedule/pairs.h"
#include "store/file.h"
#include "store/run/run_writer.h"
#include "workflow/setup/run_plan.h"
#include "workflow/sides/pair_looks.h"
#include "workflow/sides/side_cases.h"

namespace plumbline {
namespace {

constexpr std::array<const char*, 2> kSideNames{"a", "b"};

/// One side for measuring: what it declares, and its run directory.
struct MeasuredSide {
  const Side* side = nullptr;
  std::vector<WorkerDevice> devices;
  LoadedSuites loaded;
  RunInfo info;
  std::unique_ptr<RunWriter> writer;
  std::string code_folder;  // for its workers; "": they keep no code
};

/// Reports mistakes in suites before a worker takes seconds to start for its devices.
std::array<MeasuredSide, 2> load_sides(const PairedRequest& request) {
  std::array<MeasuredSide, 2> sides;
  SuiteRequest flags = request.run.suite;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    MeasuredSide& measured = sides[i];
    measured.side = request.sides[i];
    const WorkerProgram& worker = measured.side->worker;
    measured.loaded = read_suites(measured.side->suites, flags, &worker);
    const bool is_other = i == 0 || !(worker == sides[0].side->worker);
    measured.devices =
        is_other ? choose_devices(worker.devices(), request.run.worker.device) : sides[0].devices;
    if (measured.devices.size() != 1)
      throw Error("--device " + request.run.worker.device + ": pairs are measured on one device");
    apply_device(measured.loaded, &measured.devices.front().environment);
    apply_python(worker, measured.loaded.cases, measured.devices.front().environment);
  }
  const Environment &a = sides[0].devices.front().environment,
                    &b = sides[1].devices.front().environment;
  if (a.device_uuids != b.device_uuids)
    throw Error("the workers of the two sides chose different devices: " + a.device_uuid() +
                " and " + b.device_uuid() + "; name one with --device");
  return sides;
}

/// The record of a side's run.
RunInfo info_of_side(const PairedRequest& request, const MeasuredSide& measured) {
  RunRequest flags = request.run;
  flags.worker.extensions = measured.side->worker.extensions();
  flags.worker.variables = measured.side->worker.variables();
  RunInfo info =
      info_of(flags, measured.devices, measured.loaded, measured.side->folder, request.command);
  info.environment.commit = measured.side->commit;
  info.environment.dirty = flag_of(measured.side->dirty);
  return info;
}

PairWorkers workers_of(const MeasuredSide& side, bool own_placements, Interrupt& interrupt) {
  WorkerCommand command = side.side->worker.command(
      side.devices.front(), side.writer->path() + "/worker.log", side.loaded.cases);
  command.has_partner = true;
  if (!side.code_folder.empty() && !command.sandbox)
    command.variables["PLUMBLINE_CODE"] = side.code_folder;
  command.has_successors = may_have_successors(side.devices.front(), kSideNames.size());
  PairWorkers workers = pair_worker_processes(std::move(command), &interrupt);
  if (own_placements)
    workers.start = [start = workers.start](WorkerKind kind, const std::string&) {
      return start(kind, "");
    };
  return workers;
}

/// Measures pairs up to each look, until no case is open. False if the user stopped it.
bool measure(std::array<MeasuredSide, 2>& sides, const SideCases& matched,
             const PairOptions& options, ControlRuns& controls, PairedRun& done,
             Interrupt& interrupt, Talk& talk) {
  const RunInfo& info = sides[1].info;
  const auto listener = talk.listener(info.expected, "pair");
  PairPlan plan{{matched.cases,
                 info.policy.seed,
                 {},
                 info.environment.device_uuid(),
                 {},
                 info.environment.device_kind},
                matched.declared};
  for (std::size_t i = 0; i < sides.size(); ++i)
    plan.worker_hashes[i] = sides[i].info.environment.worker_hash;
  if (done.has_controls) plan.controls = control_order(plan);
  const PairLooks looks = measure_looks(plan, done.trial,
                                        {{sides[0].writer.get(), sides[1].writer.get()},
                                         {sides[0].side->root, sides[1].side->root},
                                         {workers_of(sides[0], options.own_placements, interrupt),
                                          workers_of(sides[1], options.own_placements, interrupt)},
                                         controls,
                                         options.control_share,
                                         *listener,
                                         interrupt});
  done.apart += looks.apart;
  return !looks.interrupted;
}

void open_side(MeasuredSide& measured, std::span<ResultRow> unmeasured, const std::string& folder,
               std::size_t i) {
  const std::string path = folder + "/" + kSideNames[i];
  if (std::filesystem::exists(path + "/run.json"))
    throw Error(path + ": found a run in it; pairs are not gone on with: name another folder");
  measured.info.started_at = now_utc();
  measured.writer = std::make_unique<RunWriter>(path, measured.info);
  for (ResultRow& row : unmeasured) {
    row.device = measured.info.environment.device_uuid();
    measured.writer->append_visit({&row, 1});
  }
}

CompareOptions options_of(const MeasuredSide& candidate) {
  CompareOptions options;
  for (const Case& c : candidate.loaded.cases)
    if (c.threshold) options.thresholds[{c.suite, c.id}] = *c.threshold;
  return options;
}

/// Keeps the expected failures of the measured cases only.
void keep_expected(MeasuredSide& measured, const SideCases& matched) {
  std::set<CaseKey> known;
  for (const Case& c : matched.cases) known.insert({c.suite, c.id});
  std::erase_if(measured.loaded.expected, [&](const ExpectedFailure& expected) {
    return !known.contains({expected.suite, expected.case_id});
  });
}

}  // namespace

void PairOptions::take_defaults(const Thresholds& project) {
  if (!margin) margin = project.margin;
  if (!effect_floor) effect_floor = project.threshold;
}

PairedRule PairOptions::rule(std::string_view device_kind) const {
  PairedRule rule = default_paired_rule(device_kind);
  if (!looks.empty()) rule.looks = looks;
  if (margin) rule.margin = *margin;
  if (effect_floor) rule.effect_floor = *effect_floor;
  require_rule(rule);
  return rule;
}

PairedRun run_in_pairs(PairedRequest request, Talk& talk) {
  set_aside_connections(talk);
  const std::size_t most = request.pairs.rule("cuda").looks.back();
  request.run.suite.policy["rounds"] = std::to_string(most);
  std::array<MeasuredSide, 2> sides = load_sides(request);
  SideCases matched = match_cases(sides[0].loaded, sides[1].loaded, request.run.suite.selection,
                                  request.cases ? &*request.cases : nullptr);
  for (MeasuredSide& measured : sides) {
    keep_expected(measured, matched);
    measured.info = info_of_side(request, measured);
  }
  talk.notes(sides[1].loaded.notes);
  const RunInfo& info = sides[1].info;
  const auto locks =
      lock_devices(devices_of_ranks(sides[1].side->worker, sides[1].devices, sides[1].loaded.cases),
                   info.command);
  Interrupt interrupt;  // before there is a directory to name
  for (std::size_t i = 0; i < sides.size(); ++i)
    open_side(sides[i], matched.unmeasured[i], request.folder, i);
  if (request.keeps_code)
    for (MeasuredSide& side : sides)
      side.code_folder = std::filesystem::absolute(side.writer->path()).string() + "/code";
  CompareOptions options = options_of(sides[1]);
  const PairedTrial trial(request.pairs.rule(info.environment.device_kind), options.thresholds,
                          request.bystanders);
  if (!matched.cases.empty())
    talk.say(fmt::format("{} in up to {} pairs on {} ({}), into {}",
                         counted(matched.cases.size(), "case"), most, info.environment.device_class,
                         sides[1].devices.front().name, request.folder));
  auto controls = std::make_shared<ControlRuns>(request.folder + "/controls", sides[0].info);
  PairedRun done{{}, trial, std::move(options), {}, {}, 0, 0, false, controls};
  done.has_controls =
      request.pairs.control_share > 0 && run_alike(*request.sides[0], *request.sides[1]);
  const bool is_whole = measure(sides, matched, request.pairs, *controls, done, interrupt, talk);
  if (!is_whole)
    talk.say(fmt::format(
        "interrupted; what was measured is in {}, and judges nothing: pairs are measured "
        "anew, into another folder",
        request.folder));
  if (is_whole) {
    for (MeasuredSide& side : sides) side.writer->finish(now_utc());
    controls->finish(now_utc());
  }
  for (std::size_t i = 0; i < sides.size(); ++i) done.runs[i] = sides[i].writer->run();
  done.suite_changes =
      suite_changes(sides[0].loaded, sides[1].loaded, {sides[0].side->name, sides[1].side->name});
  done.unpaired = std::move(matched.unpaired);
  done.signal = is_whole ? 0 : interrupt.signal_number();
  return done;
}

PairedSides paired_sides(const PairedRun& measured, const std::array<const Side*, 2>& sides) {
  const auto& [a, b] = sides;
  const bool have_one_worker = a->worker.hash() == b->worker.hash();
  return {
      measured.runs[0], measured.runs[1], a->name, b->name, a->has_own_worker || b->has_own_worker,
      have_one_worker,  a->root,          b->root};
}

void tell_unpaired(const PairedRun& measured, const std::string& a, Comparison& comparison) {
  comparison.notes.insert(comparison.notes.end(), measured.suite_changes.begin(),
                          measured.suite_changes.end());
  for (Finding& finding : comparison.findings) {
    const auto why = measured.unpaired.find({finding.suite, finding.case_id});
    if (why == measured.unpaired.end() || !finding.change) continue;
    finding.reason += fmt::format("{}not measured in pairs: {} {}",
                                  finding.reason.empty() ? "" : "; ", a, why->second);
  }
}

void note_placements(const PairedRun& measured, Comparison& comparison) {
  if (measured.apart == 0) return;
  comparison.notes.push_back(
      fmt::format("{} of workers measured in memory of their own: placements did not cancel there.",
                  counted(measured.apart, "pair")));
}

Comparison comparison_of(const PairedRun& measured, const PairedRequest& request) {
  Comparison comparison =
      measured.trial.comparison(measured.runs[0], measured.runs[1], measured.options);
  comparison.rule.control_share = request.pairs.control_share;
  tell_unpaired(measured, request.sides[0]->name, comparison);
  note_placements(measured, comparison);
  refuse(compare_code(paired_sides(measured, request.sides)), comparison);
  return comparison;
}

std::set<CaseKey> judged_cases(const PairedRun& measured) {
  std::set<CaseKey> cases;
  for (const auto& [key, has_changed] : measured.trial.outcomes()) cases.insert(key);
  return cases;
}

}  // namespace plumbline
