#include "workflow/run/run_suites.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "analysis/compare/compare.h"
#include "analysis/estimate/moved_bytes.h"
#include "core/error.h"
#include "core/moment.h"
#include "core/system_failure.h"
#include "core/visible.h"
#include "core/words.h"
#include "schedule/agenda.h"
#include "schedule/clock_keeper.h"
#include "store/run/run_reader.h"
#include "store/run/run_writer.h"
#include "workflow/run/measured_run.h"
#include "workflow/setup/run_plan.h"
#include "workflow/setup/sandbox_view.h"

namespace plumbline {
namespace {

/// `plan` outlives the result.
Plan schedule_of(const RunPlan& plan, const EarlierVisits& measured) {
  const Environment& environment = plan.info.environment;
  return {plan.loaded.cases,       plan.info.policy.seed,  plan.homes, "", measured,
          environment.device_kind, environment.worker_hash};
}

/// The run's directory, new or resumed, and the visits that it already has.
struct OpenRun {
  RunWriter writer;
  EarlierVisits measured;
};

OpenRun open_run(const RunRequest& flags, RunPlan& plan, Talk& talk) {
  if (flags.resume) {
    if (flags.output.empty()) throw Error("--resume needs -o DIR, the run to go on with");
    RunWriter::Resumed resumed = RunWriter::resume(flags.output);
    check_same_run(resumed.writer.info(), plan.info, flags.any_device);
    resumed.writer.record_devices(plan.info.environment.device_uuids);
    talk.notes(resumed.writer.run().warnings);
    return {std::move(resumed.writer), std::move(resumed.visits)};
  }
  plan.info.started_at = now_utc();
  plan.info.planned_visits = std::int64_t(Agenda(schedule_of(plan, {})).planned());
  const std::string path =
      !flags.output.empty()
          ? flags.output
          : new_run_directory(plan.project.places.runs, plan.info.started_at,
                              plan.info.environment.commit, device_slug(plan.info.environment));
  return {RunWriter(path, plan.info, RowsKept::none), {}};
}

/// Ends the run, and collects what is told of it.
void finish(RunWriter& writer, RunOutcome& outcome) {
  const DecisionRule rule = default_rule(writer.info().environment.device_kind);
  RunScatter scatter(rule.effect_floor);
  CostsOff costs;
  outcome.summaries = writer.finish(now_utc(), [&](const Run& part) {
    scatter.add(part);
    costs.add(part);
  });
  outcome.noise = scatter.noise(rule.confidence);
  outcome.costs_off = costs.sentence();
}

ScheduleResult measure(OpenRun& run, const RunPlan& plan, const WorkerProgram& worker,
                       Interrupt& interrupt, Talk& talk) {
  const auto listener = talk.listener(plan.info.expected, "round");
  const Plan schedule = schedule_of(plan, run.measured);
  const auto devices = run_devices(plan, worker, run.writer.path(), interrupt);
  return measure_into(run.writer, schedule, {devices, plan.root, *listener, interrupt});
}

/// Keepers of the clocks that the user asked to lock; their destructors restore the clocks.
std::vector<std::unique_ptr<ClockKeeper>> lock_clocks(const RunRequest& flags, RunPlan& plan,
                                                      const WorkerProgram& worker, Talk& talk) {
  std::vector<std::unique_ptr<ClockKeeper>> keepers;
  if (flags.lock_clocks.empty()) return keepers;
  for (const WorkerDevice& device : plan.devices) {
    if (device.environment.device_kind != "cuda")
      throw Error("--lock-clocks " + flags.lock_clocks + ": " + device.name +
                  " is no GPU; only GPUs have an SM clock to lock");
    keepers.push_back(std::make_unique<ClockKeeper>(
        KeeperCommand{.worker = worker.path(),
                      .clock = flags.lock_clocks,
                      .device_uuid = device.environment.device_uuid()}));
    const ClockKeeper& keeper = *keepers.back();
    if (!keeper.left_behind().empty())
      talk.note(fmt::format("the SM clock of {} had been left locked by {}; it was restored",
                            device.name, keeper.left_behind()));
    if (keeper.observed_hz())
      talk.note(fmt::format("the SM clock of {} is locked; the driver tells {:.0f} MHz",
                            device.name, *keeper.observed_hz() / 1e6));
  }
  plan.info.environment.clocks_locked =
      flags.lock_clocks == "base" ? "base" : flags.lock_clocks + " MHz";
  return keepers;
}

WorkerProgram worker_of(const RunRequest& request, const Project& project,
                        const std::vector<std::string>& files) {
  WorkerProgram worker = need_worker(request.worker, project.worker);
  worker.show(files);
  return worker;
}

/// ": 3 of 4 cases: REASON", the commonest reason why cases cannot run; "" without cases.
std::string why_not(const std::vector<Case>& cases) {
  std::map<std::string, std::size_t> counts;
  for (const Case& c : cases)
    if (!is_runnable(c)) ++counts[c.unsupported.empty() ? c.excluded : c.unsupported];
  if (counts.empty()) return "";
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  return fmt::format(": {} of {}: {}", most->second, counted(cases.size(), "case"),
                     visible(most->first));
}

}  // namespace

Run with_rows(const RunOutcome& outcome) {
  Run run = outcome.run;
  run.rows = read_run(outcome.directory).rows;
  return run;
}

std::string plan_in_words(const RunRequest& request, const std::vector<std::string>& command,
                          Talk& talk) {
  check_sandbox(request, talk);
  const auto files = suite_files(request);
  const Project project = find_project(files.front(), request);
  const WorkerProgram worker = worker_of(request, project, files);
  const RunPlan plan = plan_run(request, worker, project, files, command, talk);
  talk.notes(plan.loaded.notes);
  const EarlierVisits measured =
      request.resume ? EarlierVisits(read_run(request.output).rows) : EarlierVisits();
  if (!request.resume && !request.output.empty() &&
      std::filesystem::exists(request.output + "/run.json"))
    throw Error(request.output + ": found a run in it; name another folder, or add --resume");
  const Agenda agenda(schedule_of(plan, measured));
  const auto runnable = std::ranges::count_if(plan.loaded.cases, is_runnable);
  if (runnable == 0)
    throw Error("nothing would be measured: no selected case can run here" +
                why_not(plan.loaded.cases));
  return fmt::format("{} of {} on {} ({}) in {}: {}, into {}", runnable,
                     counted(plan.loaded.cases.size(), "case"), plan.info.environment.device_class,
                     device_names(plan), counted(std::size_t(agenda.rounds()), "round"),
                     counted(agenda.planned() - agenda.finished(), "visit"),
                     request.output.empty() ? project.places.runs : request.output);
}

RunOutcome run_suites(const RunRequest& request, const std::vector<std::string>& command,
                      Talk& talk) {
  check_sandbox(request, talk);
  const auto files = suite_files(request);
  const Project project = find_project(files.front(), request);
  const WorkerProgram worker = worker_of(request, project, files);
  RunPlan plan = plan_run(request, worker, project, files, command, talk);
  talk.notes(plan.loaded.notes);
  const Environment& device = plan.info.environment;
  const auto locks =
      lock_devices(devices_of_ranks(worker, plan.devices, plan.loaded.cases), plan.info.command);
  const auto keepers = lock_clocks(request, plan, worker, talk);
  Interrupt interrupt;  // before there is a run to resume
  OpenRun run = open_run(request, plan, talk);
  RunOutcome outcome;
  outcome.directory = run.writer.path();
  talk.say(fmt::format("{} on {} ({}), into {}", counted(plan.loaded.cases.size(), "case"),
                       device.device_class, device_names(plan), outcome.directory));
  try {
    outcome.schedule = measure(run, plan, worker, interrupt, talk);
    if (outcome.schedule.interrupted) {
      outcome.signal = interrupt.signal_number();
      return outcome;
    }
    finish(run.writer, outcome);
    for (const auto& keeper : keepers)
      if (const std::string what = keeper->release(); !what.empty()) talk.note(what);
  } catch (const WorkerReplaced&) {
    throw;  // it cannot be gone on with
  } catch (const Error& error) {
    throw UnfinishedRun(error.what(), outcome.directory);
  } catch (const std::exception& error) {
    if (const auto failure = system_failure(error))
      throw UnfinishedRun(*failure, outcome.directory);
    throw;
  }
  outcome.run = run.writer.run();
  outcome.cases = std::move(plan.loaded.cases);
  return outcome;
}

}  // namespace plumbline
