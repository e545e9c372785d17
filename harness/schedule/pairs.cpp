#include "schedule/pairs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/draw.h"
#include "schedule/drift.h"
#include "schedule/rows.h"
#include "schedule/started_worker.h"

namespace plumbline {
namespace {

PairSide other(PairSide side) { return side == PairSide::a ? PairSide::b : PairSide::a; }

class PairRun {
 public:
  PairRun(const PairPlan& pairs, const std::array<PairWorkers, 2>& sides, const PairEvents& events,
          Interrupt* interrupt, PairsCarried& carried)
      : plan_(pairs.plan),
        declared_(pairs.declared),
        controls_(pairs.controls),
        worker_hashes_(pairs.worker_hashes),
        sides_(sides),
        events_(events),
        interrupt_(interrupt),
        carried_(carried),
        mark_s_(events.now_s()) {
    progress_.is_longest = true;
  }

  PairsResult run(std::int64_t first, std::int64_t last) {
    progress_.rounds = last;
    for (std::int64_t pair = first; pair < last; ++pair)
      for (const WorkerKind kind : kinds_)
        for (const std::size_t subject : order_of_turn(plan_, {pair, kind}))
          progress_.planned += visits_of(subject, pair);
    for (std::int64_t pair = first; pair < last; ++pair)
      for (const WorkerKind kind : kinds_) {
        run_turn({pair, kind});
        if (result_.interrupted) return result_;
      }
    return result_;
  }

 private:
  void run_turn(Turn turn) {
    std::int64_t position = 0;
    std::size_t left = visits_left(turn);
    took_s_.clear();
    const std::vector<std::size_t> order = order_of_turn(plan_, turn);
    const auto is_due = [&](std::size_t i) { return is_left(i, turn.round); };
    for (const std::size_t subject : order) {
      if (is_due(subject)) {
        progress_.remaining_s = remaining_s(left);
        if (!visit(subject, turn, position)) break;
        left -= visits_of(subject, turn.round);
      }
      progress_.finished += visits_of(subject, turn.round);
      position += 4;
    }
    visit_controls(turn, order, position);
    retire();
    carried_.budget.add_pairs(lap_s());
  }

  /// Seconds since the previous call.
  double lap_s() {
    const double last_s = std::exchange(mark_s_, events_.now_s());
    carried_.spent_s += mark_s_ - last_s;
    return mark_s_ - last_s;
  }

  /// Visits of this turn and of all turns that may follow, up to the last look.
  std::size_t visits_left(Turn turn) const {
    std::size_t left = 0;
    for (std::int64_t pair = turn.round; pair < most_pairs(); ++pair)
      for (const WorkerKind kind : kinds_) {
        if (Turn{pair, kind} < turn) continue;
        for (const std::size_t subject : order_of_turn(plan_, {pair, kind}))
          if (is_left(subject, pair)) left += visits_of(subject, pair);
      }
    return left;
  }

  /// The time of that many visits, if they take as long as those before.
  double remaining_s(std::size_t visits) const {
    const double spent_s = carried_.spent_s + events_.now_s() - mark_s_;
    return carried_.visits == 0 ? kUnknown : spent_s / double(carried_.visits) * double(visits);
  }

  /// Visits controls while the budget covers the time that the case itself took in this pair.
  void visit_controls(Turn turn, const std::vector<std::size_t>& order, std::int64_t position) {
    for (const std::size_t subject : controls_) {
      carried_.budget.add_pairs(lap_s());
      const auto took_s = took_s_.find(subject);
      if (stopped() || !workers_[0] || !workers_[1]) return;
      if (took_s == took_s_.end() || !std::ranges::count(order, subject) ||
          carried_.controls_left_out.contains(subject) || !carried_.budget.affords(took_s->second))
        continue;
      const auto failed = measure({subject, /*is_control=*/true}, turn, position);
      if (failed && ((*failed)[0] || (*failed)[1])) carried_.controls_left_out.insert(subject);
      carried_.budget.add_control(lap_s());
      position += 4;
    }
  }

  /// What a pair visits.
  struct Subject {
    std::size_t position;  // in the plan
    bool is_control = false;
  };

  const Case* case_of(Subject subject, PairSide side) const {
    return case_of(subject.position, subject.is_control ? PairSide::a : side);
  }

  /// The case as the side declares it; null if the side lacks it.
  const Case* case_of(std::size_t subject, PairSide side) const {
    const std::vector<const Case*>& own = declared_[std::size_t(side)];
    return own.empty() ? &plan_.cases[subject] : own[subject];
  }

  bool is_paired(std::size_t subject) const {
    return case_of(subject, PairSide::a) && case_of(subject, PairSide::b);
  }

  std::size_t visits_of(std::size_t subject, std::int64_t pair) const {
    return is_paired(subject) ? 4 : pair == 0 ? 1 : 0;
  }

  bool is_left(std::size_t subject, std::int64_t pair) const {
    return !carried_.left_out.contains(subject) && visits_of(subject, pair) > 0;
  }

  std::int64_t most_pairs() const {
    std::int64_t most = 0;
    for (const Case& c : plan_.cases) most = std::max(most, c.policy->rounds);
    return most;
  }

  /// The kind of worker for the next turn; nothing if there is none.
  std::optional<WorkerKind> kind_after(Turn turn) const {
    const std::int64_t last = most_pairs();
    for (std::int64_t pair = turn.round; pair < last; ++pair)
      for (const WorkerKind kind : kinds_) {
        const Turn next{pair, kind};
        const auto is_due = [&](std::size_t subject) { return is_left(subject, pair); };
        if (turn < next && std::ranges::any_of(order_of_turn(plan_, next), is_due)) return kind;
      }
    return std::nullopt;
  }

  /// Starts workers of this turn and of the next, so that all load their libraries at the same
  /// time: nothing is measured then.
  void stand_by(Turn turn) {
    std::vector<WorkerKind> kinds{turn.kind};
    if (const auto next = kind_after(turn)) kinds.push_back(*next);
    for (const PairWorkers& side : sides_) side.stand_by(kinds);
  }

  /// Makes the four visits of a pair; false if the run must stop.
  bool visit(std::size_t subject, Turn turn, std::int64_t position) {
    if (stopped() || !ensure_workers(turn)) return false;
    const Case& c = plan_.cases[subject];
    progress_.round = turn.round;
    events_.on_progress(c, progress_);
    const double begin_s = events_.now_s();
    const auto failed = measure({subject}, turn, position);
    if (!failed) return false;
    took_s_[subject] = events_.now_s() - begin_s;
    if ((*failed)[0] || (*failed)[1]) carried_.left_out.insert(subject);
    return true;
  }

  /// Returns which sides failed; nothing if the run must stop.
  std::optional<std::array<bool, 2>> measure(Subject subject, Turn turn, std::int64_t position) {
    const Case& c = plan_.cases[subject.position];
    const Policy& policy = *c.policy;
    std::array<bool, 2> has_failed{};
    bool is_lost = false;  // the device's context may be lost
    bool has_left_traces = false;
    for (const PairSide side : visitors(subject, turn.round)) {
      if (has_failed[std::size_t(side)]) continue;
      const Case& declared = *case_of(subject, side);
      std::optional<MeasureAnswer> answer = worker(side)->measure(
          {declared, policy, turn.round, policy.seed, draw_}, policy.timeout_s);
      if (!answer) return result_.interrupted = true, std::nullopt;
      const std::string left_behind = answer->left_behind;
      const Status status = record(side, subject, *std::move(answer), turn.round, position++);
      // The other side is still measured: if it succeeds, the failure is a regression.
      has_failed[std::size_t(side)] = !has_samples(status);
      using enum Status;
      has_left_traces |= !left_behind.empty();
      if (!left_behind.empty()) events_.on_note(note_of_traces(c, left_behind));
      is_lost = is_lost || status == crashed || status == timeout || status == out_of_memory;
    }
    if (is_lost || has_left_traces) retire();
    return has_failed;
  }

  /// The sides that visit a case, in order: A B B A, B A A B, or the only side that has it.
  std::vector<PairSide> visitors(Subject subject, std::int64_t pair) const {
    if (!is_paired(subject.position))
      return {case_of(subject, PairSide::a) ? PairSide::a : PairSide::b};
    const Case& c = plan_.cases[subject.position];
    const PairSide outer = toss(pair, c.suite + '\n' + c.id + (subject.is_control ? "\n" : ""));
    return {outer, other(outer), other(outer), outer};
  }

  Status record(PairSide side, Subject subject, MeasureAnswer answer, std::int64_t pair,
                std::int64_t position) {
    const Case& c = *case_of(subject, side);
    make_consistent(answer);
    std::vector<ResultRow> rows = rows_of(c, answer);
    const Worker& from = *worker(side);
    stamp(rows, from.hello().environment.device_uuid(), from.name(), pair, position);
    ++result_.visits;
    if (subject.is_control) {
      events_.on_control(side, c, rows);
    } else {
      ++carried_.visits;
      events_.on_files(side, c, answer.files);
      events_.on_visit(side, c, rows);
    }
    return answer.status;
  }

  /// Starts both workers of a pair; the side that starts first and owns the memory is drawn anew.
  bool ensure_workers(Turn turn) {
    if (workers_[0] && workers_[1]) return true;
    stand_by(turn);
    owner_ = toss(turn.round, name_of(turn.kind.profile));
    const bool is_cuda = plan_.device_kind == "cuda";
    if (!start(owner_, turn, is_cuda ? "share" : "")) return false;
    const std::string arena = worker(owner_)->hello().arena;
    if (!start(other(owner_), turn, arena)) return false;
    result_.apart += is_cuda && arena.empty();
    return true;
  }

  bool start(PairSide side, Turn turn, std::string arena) {
    for (int attempt = 1;; ++attempt) try {
        worker(side) = sides_[std::size_t(side)].start(turn.kind, arena);
        break;
      } catch (const WorkerStartError& error) {
        if (attempt == kStartAttempts || error.is_lasting())
          throw Error(std::string(error.what()) + "; `plumbline doctor` says what is missing");
        events_.on_note(error.what());
        if (!arena.empty() && arena != "share") {
          events_.on_note(
              "each side uses memory of its own in this pair: effects of placement do not cancel");
          arena.clear();
          ++result_.apart;
        }
        if (stopped()) return false;
      }
    if (!worker(side)) return result_.interrupted = true, false;
    ++result_.workers;
    records_[std::size_t(side)] = record_of_start(*worker(side), turn.round, plan_.device_uuid,
                                                  worker_hashes_[std::size_t(side)]);
    events_.on_worker(side, records_[std::size_t(side)]);
    return true;
  }

  /// The worker in borrowed memory ends before the memory's owner.
  void retire() {
    for (const PairSide side : {other(owner_), owner_}) {
      std::unique_ptr<Worker>& ended = worker(side);
      if (ended && ended->usable() && !result_.interrupted) {
        WorkerEnd end = ended->finish();
        records_[std::size_t(side)].sentinel_after = std::move(end.sentinel);
        events_.on_worker(side, records_[std::size_t(side)]);
        const std::string drift = note_of_drift(records_[std::size_t(side)]);
        if (!drift.empty()) events_.on_note(drift);
        if (!end.complaint.empty())
          events_.on_note("worker " + ended->name() + " " + end.complaint);
      }
      ended.reset();
    }
  }

  /// The seed decides for the first of each two pairs; the second pair gets the other side. So each
  /// side is first equally often.
  PairSide toss(std::int64_t pair, std::string_view what) const {
    std::uint64_t hash =
        stable_hash(what, stable_hash(std::to_string(plan_.seed) + ':' + std::to_string(pair / 2)));
    hash ^= hash >> 32;  // the low bit of FNV-1a is the parity of the text's low bits
    hash *= 0x9e3779b97f4a7c15ULL;
    const PairSide drawn = hash >> 63 ? PairSide::b : PairSide::a;
    return pair % 2 == 0 ? drawn : other(drawn);
  }

  bool stopped() {
    if (interrupt_ && interrupt_->requested()) result_.interrupted = true;
    return result_.interrupted;
  }

  std::unique_ptr<Worker>& worker(PairSide side) { return workers_[std::size_t(side)]; }

  const Plan& plan_;
  const std::uint64_t draw_ = fresh_draw();
  const std::array<std::vector<const Case*>, 2>& declared_;
  const std::vector<std::size_t>& controls_;
  const std::array<std::string, 2>& worker_hashes_;
  const std::vector<WorkerKind> kinds_ = kinds_of(plan_);
  const std::array<PairWorkers, 2>& sides_;
  const PairEvents& events_;
  Interrupt* interrupt_;
  PairsCarried& carried_;
  double mark_s_;                         // time up to which the budget is updated
  std::map<std::size_t, double> took_s_;  // duration of a case's visits in the present pair
  std::array<std::unique_ptr<Worker>, 2> workers_;
  std::array<WorkerRecord, 2> records_;
  PairSide owner_ = PairSide::a;  // owner of the memory that both measure in
  Progress progress_;
  PairsResult result_;
};

}  // namespace

PairsResult run_pairs(const PairPlan& plan, std::int64_t first, std::int64_t last,
                      const std::array<PairWorkers, 2>& sides, const PairEvents& events,
                      Interrupt* interrupt, PairsCarried& carried) {
  return PairRun(plan, sides, events, interrupt, carried).run(first, last);
}

}  // namespace plumbline
