#include "workflow/run/measured_run.h"

#include "workflow/setup/project.h"

namespace plumbline {

ScheduleResult measure_into(RunWriter& run, const Plan& plan, const MeasuredWith& with) {
  RunListener& listener = with.listener;
  ScheduleEvents events;
  events.on_visit = [&](const Case& c, std::span<const ResultRow> rows) {
    run.append_visit(rows);
    listener.on_visit(c, rows);
  };
  events.on_files = [&](const Case& c, std::span<const FileRef> files) {
    run.record_files(c.suite, recorded_files(files, with.root));
  };
  events.on_progress = [&](const Case& c, const Progress& p) { listener.on_progress(c, p); };
  events.on_note = [&](const std::string& note) { listener.on_note(note); };
  events.on_worker = [&](const WorkerRecord& record) { run.record_worker(record); };
  return run_on_devices(plan, with.devices, events, &with.interrupt, with.run_all);
}

}  // namespace plumbline
