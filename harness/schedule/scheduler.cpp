#include "schedule/scheduler.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "schedule/agenda.h"
#include "schedule/draw.h"
#include "schedule/drift.h"
#include "schedule/rows.h"
#include "schedule/started_worker.h"

namespace plumbline {
namespace {

/// The next worker starts to load its libraries when the present one has this many visits left. On
/// a GPU both take about the same time, so two workers hold memory only briefly.
constexpr std::size_t kLastVisits = 4;

/// Adds its own lifetime in seconds to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum_s) : sum_s_(sum_s) {}
  ~Stopwatch() {
    sum_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_s_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class Scheduler {
 public:
  Scheduler(const Plan& plan, const WorkerFactory& factory, const ScheduleEvents& events,
            Interrupt* interrupt)
      : plan_(plan),
        factory_(factory),
        events_(events),
        interrupt_(interrupt),
        kinds_(kinds_of(plan)),
        agenda_(plan),
        proven_(agenda_.proven()) {}

  ScheduleResult run() {
    {
      const Stopwatch whole(result_.wall_s);
      record_unmeasured();
      for (std::int64_t round = 0; round < agenda_.rounds() && !result_.interrupted; ++round)
        run_round(round);
    }
    return result_;
  }

 private:
  /// Adds one row for each case that is not measured; their order follows the others of round 0.
  void record_unmeasured() {
    std::size_t order = 0;
    for (const WorkerKind kind : kinds_) order += order_of_turn(plan_, {0, kind}).size();
    for (std::size_t i = 0; i < plan_.cases.size(); ++i) {
      const Case& c = plan_.cases[i];
      if (is_runnable(c)) continue;
      ResultRow row = c.excluded.empty() ? unmeasured_row(c, Status::unsupported, c.unsupported)
                                         : unmeasured_row(c, Status::excluded, c.excluded);
      row.order = static_cast<std::int64_t>(order++);
      row.device = plan_.device_uuid;
      if (!agenda_.is_recorded(i)) events_.on_visit(c, {&row, 1});
    }
  }

  void run_round(std::int64_t round) {
    std::int64_t first = 0;
    for (const WorkerKind kind : kinds_) {
      const Turn turn{round, kind};
      const auto order = order_of_turn(plan_, turn);
      const std::size_t last_visits = last_visits_from(order, turn);
      for (std::size_t i = 0; i < order.size(); ++i)
        if (!visit(order[i], turn, first + static_cast<std::int64_t>(i), i >= last_visits)) break;
      retire();
      if (result_.interrupted) return;
      first += static_cast<std::int64_t>(order.size());
    }
    record_refused(round);
  }

  /// Called at the end of a round: only a working worker of another profile shows that the profile
  /// is unavailable and not the device.
  void record_refused(std::int64_t round) {
    if (!refused_.empty() && proven_.empty()) throw Error(refused_.begin()->second);
    std::int64_t position = 0;
    for (const WorkerKind kind : kinds_) {
      const Turn turn{round, kind};
      const Profile profile = kind.profile;
      const auto refusal = refused_.find(profile);
      std::size_t left_out = 0;
      for (const std::size_t subject : order_of_turn(plan_, turn)) {
        const std::int64_t order = position++;
        if (refusal == refused_.end() || !agenda_.is_left(subject, turn)) continue;
        const Case& c = plan_.cases[subject];
        ResultRow row = unmeasured_row(
            c, Status::unsupported,
            "no worker of profile " + std::string(name_of(profile)) + ": " + refusal->second);
        row.device = plan_.device_uuid;
        row.worker = std::string(name_of(profile)) + std::string(kNoProcess);
        row.round = round;
        row.order = order;
        agenda_.finish(subject, turn, row.status);
        events_.on_visit(c, {&row, 1});
        ++left_out;
      }
      if (left_out > 0)
        events_.on_note("what profile " + std::string(name_of(profile)) +
                        " measures is missing: " + refusal->second);
    }
  }

  /// Index in the order of a turn at which its last visits begin.
  std::size_t last_visits_from(const std::vector<std::size_t>& order, Turn turn) const {
    std::size_t from = order.size();
    for (std::size_t left = 0; from > 0 && left < kLastVisits; --from)
      left += agenda_.is_left(order[from - 1], turn);
    return from;
  }

  /// The kind of the next worker after this turn; nothing if there is none.
  std::optional<WorkerKind> kind_after(Turn turn) const {
    for (std::int64_t round = turn.round; round < agenda_.rounds(); ++round)
      for (const WorkerKind kind : kinds_) {
        const Turn next{round, kind};
        if (next <= turn || refused_.contains(kind.profile)) continue;
        if (std::ranges::any_of(order_of_turn(plan_, next), [&](std::size_t subject) {
              return agenda_.is_left(subject, next);
            }))
          return kind;
      }
    return std::nullopt;
  }

  void prepare_next_worker(Turn turn) {
    if (std::exchange(has_prepared_next_, true)) return;
    if (const auto kind = kind_after(turn)) worker_->prepare_next(*kind);
  }

  /// False if this turn or the run must stop.
  bool visit(std::size_t subject, Turn turn, std::int64_t position, bool is_among_last) {
    if (!agenda_.is_left(subject, turn)) return true;
    if (stopped() || !ensure_worker(turn)) return false;
    if (is_among_last) prepare_next_worker(turn);
    const Case& c = plan_.cases[subject];
    events_.on_progress(c, {turn.round, agenda_.rounds(), agenda_.finished(), agenda_.planned(),
                            remaining_s(turn.round)});
    std::optional<MeasureAnswer> answer;
    {
      const Stopwatch visiting(result_.visits_s);
      answer =
          worker_->measure({c, *c.policy, turn.round, c.policy->seed, draw_}, c.policy->timeout_s);
    }
    if (!answer) return result_.interrupted = true, false;
    record(subject, *answer, turn, position);
    return true;
  }

  void record(std::size_t subject, MeasureAnswer answer, Turn turn, std::int64_t position) {
    make_consistent(answer);
    const Case& c = plan_.cases[subject];
    std::vector<ResultRow> rows = rows_of(c, answer);
    stamp(rows, worker_->hello().environment.device_uuid(), worker_->name(), turn.round, position);
    agenda_.finish(subject, turn, answer.status);
    ++result_.visits;
    for (const auto& [phase, seconds] : answer.spent_s) result_.spent_s[phase] += seconds;
    events_.on_files(c, answer.files);
    events_.on_visit(c, rows);
    // The device's context may be lost after such an end, so the worker is replaced.
    using enum Status;
    if (answer.status == crashed || answer.status == timeout || answer.status == out_of_memory)
      return retire(/*is_trusted=*/false);
    if (answer.left_behind.empty()) return;
    events_.on_note(note_of_traces(c, answer.left_behind));
    retire();
  }

  bool ensure_worker(Turn turn) {
    if (worker_) return true;
    if (refused_.contains(turn.kind.profile)) return false;
    {
      const Stopwatch starting(result_.processes_s);
      worker_ = started_worker(turn.kind);
    }
    if (!worker_) {
      if (!refused_.contains(turn.kind.profile)) result_.interrupted = true;
      return false;
    }
    has_prepared_next_ = false;
    if (result_.workers++ == 0) first_round_ = turn.round;
    proven_.insert(turn.kind.profile);
    record_ = record_of_start(*worker_, turn.round, plan_.device_uuid, plan_.worker_hash);
    events_.on_worker(record_);
    return true;
  }

  /// Nothing if the run must stop or the profile is refused.
  std::unique_ptr<Worker> started_worker(WorkerKind kind) {
    const Profile profile = kind.profile;
    const bool is_vital = proven_.contains(profile) || agenda_.profiles().size() == 1;
    for (int attempt = 1;; ++attempt) try {
        return factory_(kind);
      } catch (const WorkerStartError& error) {
        if (attempt == kStartAttempts || error.is_lasting()) {
          std::string what = error.what();
          if (attempt > 1) what += "; tried " + std::to_string(attempt) + " times in a row";
          what += "; `plumbline doctor` says what is missing";
          if (is_vital) throw Error(what);
          refused_[profile] = what;
          return nullptr;
        }
        if (is_vital) events_.on_note(error.what());
        if (stopped()) return nullptr;
      }
  }

  /// `is_trusted`: report the worker's complaint; after a failed case it would repeat the reason.
  void retire(bool is_trusted = true) {
    if (worker_ && worker_->usable() && !result_.interrupted) {
      const Stopwatch ending(result_.processes_s);
      WorkerEnd end = worker_->finish();
      record_.sentinel_after = std::move(end.sentinel);
      events_.on_worker(record_);
      if (const std::string drift = note_of_drift(record_); !drift.empty()) events_.on_note(drift);
      if (is_trusted && !end.complaint.empty())
        events_.on_note("worker " + worker_->name() + " " + end.complaint);
    }
    worker_.reset();
  }

  bool stopped() {
    if (interrupt_ && interrupt_->requested()) result_.interrupted = true;
    return result_.interrupted;
  }

  /// Assumes that the remaining visits and rounds take as long as those so far.
  double remaining_s(std::int64_t round) const {
    if (result_.visits == 0) return kUnknown;
    const double rounds_begun = double(round - first_round_ + 1);
    return result_.visits_s / double(result_.visits) *
               double(agenda_.planned() - agenda_.finished()) +
           result_.processes_s / rounds_begun * double(agenda_.rounds() - 1 - round);
  }

  const Plan& plan_;
  const std::uint64_t draw_ = fresh_draw();
  const WorkerFactory& factory_;
  const ScheduleEvents& events_;
  Interrupt* interrupt_;
  std::vector<WorkerKind> kinds_;  // kinds of a round
  Agenda agenda_;
  std::set<Profile> proven_;                // profiles with a worker that started
  std::map<Profile, std::string> refused_;  // profiles in which no worker starts, and why
  std::unique_ptr<Worker> worker_;
  bool has_prepared_next_ = false;  // during worker_'s last visits
  WorkerRecord record_;             // record of worker_
  std::int64_t first_round_ = 0;    // round of the first worker: not 0 if the run is resumed
  ScheduleResult result_;
};

}  // namespace

ScheduleResult run_cases(const Plan& plan, const WorkerFactory& factory,
                         const ScheduleEvents& events, Interrupt* interrupt) {
  return Scheduler(plan, factory, events, interrupt).run();
}

}  // namespace plumbline
