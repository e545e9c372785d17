#include "workflow/sides/pair_looks.h"

#include <set>

#include "workflow/setup/project.h"

namespace plumbline {
namespace {

PairEvents events_of(const PairedWith& with) {
  PairEvents events;
  events.on_visit = [&](PairSide side, const Case& c, std::span<const ResultRow> rows) {
    with.writers[std::size_t(side)]->append_visit(rows);
    with.listener.on_visit(c, rows);
  };
  events.on_files = [&](PairSide side, const Case& c, std::span<const FileRef> files) {
    const auto i = std::size_t(side);
    with.writers[i]->record_files(c.suite, recorded_files(files, with.roots[i]));
  };
  events.on_control = [&](PairSide side, const Case&, std::span<const ResultRow> rows) {
    with.controls.append_visit(side, rows);
  };
  events.on_worker = [&](PairSide side, const WorkerRecord& record) {
    with.writers[std::size_t(side)]->record_worker(record);
    with.controls.record_worker(side, record);
  };
  events.on_progress = [&](const Case& c, const Progress& p) { with.listener.on_progress(c, p); };
  events.on_note = [&](const std::string& note) { with.listener.on_note(note); };
  return events;
}

}  // namespace

PairLooks measure_looks(const PairPlan& plan, PairedTrial& trial, const PairedWith& with) {
  const std::span<const Case> cases = plan.plan.cases;
  const PairEvents events = events_of(with);
  PairsCarried carried{{}, {}, ControlBudget(with.control_share)};
  PairLooks done;
  std::size_t pairs = 0;
  for (std::size_t look = 0; !trial.is_done(); ++look) {
    const std::size_t until = trial.rule().looks[look];
    const PairsResult result = run_pairs(plan, std::int64_t(pairs), std::int64_t(until),
                                         with.workers, events, &with.interrupt, carried);
    done.apart += result.apart;
    done.interrupted = result.interrupted;
    if (done.interrupted) return done;
    pairs = until;
    trial.look_at(with.writers[0]->run(), with.writers[1]->run(), look);
    const std::set<CaseKey> decided = with.controls.decided(trial);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const CaseKey key{cases[i].suite, cases[i].id};
      if (!trial.is_open(key)) carried.left_out.insert(i);
      if (decided.contains(key)) carried.controls_left_out.insert(i);
    }
  }
  return done;
}

}  // namespace plumbline
