#include "workflow/run/run_in_memory.h"

#include <fmt/format.h>

#include "core/words.h"
#include "workflow/scratch_folder.h"

namespace plumbline {

RunInMemory run_in_memory(const std::vector<Case>& cases, const RunPlan& plan,
                          const WorkerProgram& worker, Talk& talk) {
  const auto locks = lock_devices(devices_of_ranks(worker, plan.devices, cases), plan.info.command);
  talk.say(fmt::format("{} on {} ({})", counted(cases.size(), "case"),
                       plan.info.environment.device_class, device_names(plan)));
  Interrupt interrupt;
  RunInMemory made;
  made.run.info = plan.info;
  const auto listener = talk.listener(plan.info.expected, "round");
  ScheduleEvents events;
  events.on_visit = [&](const Case& c, std::span<const ResultRow> rows) {
    made.run.rows.insert(made.run.rows.end(), rows.begin(), rows.end());
    listener->on_visit(c, rows);
  };
  events.on_progress = [&](const Case& c, const Progress& p) { listener->on_progress(c, p); };
  events.on_note = [&](const std::string& note) { listener->on_note(note); };
  const Plan schedule{cases,
                      plan.info.policy.seed,
                      {},
                      "",
                      {},
                      plan.info.environment.device_kind,
                      plan.info.environment.worker_hash};
  const ScratchFolder scratch;  // holds the workers' log as long as they may be asked for it
  const auto devices = run_devices(plan, worker, scratch.path(), interrupt);
  if (run_on_devices(schedule, devices, events, &interrupt).interrupted)
    made.signal = interrupt.signal_number();
  return made;
}

}  // namespace plumbline
