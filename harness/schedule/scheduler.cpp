#include "schedule/scheduler.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace plumbline {
namespace {

constexpr int kStartAttempts = 3;

/// The finalizer of splitmix64: neighbouring hashes of FNV-1a share their high bits.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t hash_of(const Case& c, std::uint64_t seed) {
  return mixed(stable_hash(c.id, stable_hash(c.suite, mixed(seed))));
}

bool is_runnable(const Case& c) { return c.excluded.empty() && c.unsupported.empty(); }

ResultRow identity_of(const Case& c) {
  ResultRow row;
  row.suite = c.suite;
  row.case_id = c.id;
  row.op = c.op;
  row.backend = c.backend;
  row.revision = c.revision;
  return row;
}

/// What makes an answer unusable as it stands, or "".
std::string contradiction(const MeasureAnswer& answer) {
  if (has_samples(answer.status) != !answer.metrics.empty())
    return "the worker answered " + std::string(name_of(answer.status)) +
           (answer.metrics.empty() ? " without a metric" : " with samples");
  for (const MetricReading& metric : answer.metrics)
    if (metric.samples.empty() || metric.metric.empty())
      return "the worker answered metric '" + metric.metric + "' without samples";
  return "";
}

class Scheduler {
 public:
  Scheduler(const Plan& plan, const WorkerFactory& factory, const ScheduleEvents& events,
            Interrupt* interrupt)
      : plan_(plan), factory_(factory), events_(events), interrupt_(interrupt) {
    for (const ResultRow& row : plan.measured) {
      done_.insert({row.suite, row.case_id, row.round});
      if (!has_samples(row.status)) given_up_.try_emplace({row.suite, row.case_id}, row.round);
    }
    for (const Case& c : plan.cases) {
      if (!is_runnable(c) || !plan.shard.holds(c)) continue;
      const auto given_up = given_up_.find({c.suite, c.id});
      rounds_ = std::max(rounds_, c.policy->rounds);
      planned_ += static_cast<std::size_t>(given_up == given_up_.end() ? c.policy->rounds
                                                                       : given_up->second + 1);
    }
  }

  ScheduleResult run() {
    for (std::int64_t round = 0; round < std::max<std::int64_t>(rounds_, 1); ++round) {
      const auto order = order_of_round(plan_.cases, plan_.seed, round, plan_.shard);
      if (round == 0) record_unmeasured(order.size());
      for (std::size_t position = 0; position < order.size(); ++position)
        if (!visit(plan_.cases[order[position]], round, std::int64_t(position))) break;
      retire();
      if (result_.interrupted) break;
    }
    return result_;
  }

 private:
  /// One row for each case that nobody measures; they stand after the others of round 0.
  void record_unmeasured(std::size_t order) {
    for (const Case& c : plan_.cases) {
      if (is_runnable(c) || !plan_.shard.holds(c)) continue;
      ResultRow row = identity_of(c);
      row.status = c.excluded.empty() ? Status::unsupported : Status::excluded;
      row.reason = c.excluded.empty() ? c.unsupported : c.excluded;
      row.order = static_cast<std::int64_t>(order++);
      row.device = plan_.device_uuid;
      if (!done_.contains({c.suite, c.id, 0})) events_.on_visit(c, {&row, 1});
    }
  }

  /// False once the run is to stop.
  bool visit(const Case& c, std::int64_t round, std::int64_t position) {
    if (done_.contains({c.suite, c.id, round})) {
      ++finished_;
      return true;
    }
    if (given_up_.contains({c.suite, c.id})) return true;
    if (stopped() || !ensure_worker()) return false;
    events_.on_progress(c, {round, rounds_, finished_, planned_, remaining_s()});

    const auto begin = std::chrono::steady_clock::now();
    const auto answer =
        worker_->measure({c, *c.policy, round, c.policy->seed}, c.policy->timeout_s);
    if (!answer) return result_.interrupted = true, false;
    spent_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    record(c, *answer, round, position);
    return true;
  }

  void record(const Case& c, MeasureAnswer answer, std::int64_t round, std::int64_t position) {
    if (const std::string what = contradiction(answer); !what.empty()) {
      answer = {};
      answer.status = Status::crashed;
      answer.reason = what;
    }
    std::vector<ResultRow> rows = rows_of(c, answer);
    for (ResultRow& row : rows) {
      row.device = worker_->hello().environment.device_uuid;
      row.worker = worker_->name();
      row.round = round;
      row.order = position;
    }
    if (!has_samples(answer.status)) {
      given_up_.try_emplace({c.suite, c.id}, round);
      planned_ -= static_cast<std::size_t>(c.policy->rounds - round - 1);
    }
    ++finished_;
    ++result_.visits;
    events_.on_visit(c, rows);
    // After such an end the device's context may be lost: the worker leaves, its own way.
    using enum Status;
    if (answer.status == crashed || answer.status == timeout || answer.status == out_of_memory) {
      if (worker_->usable()) worker_->finish();
      worker_.reset();
    }
  }

  bool ensure_worker() {
    if (worker_) return true;
    worker_ = started_worker();
    if (!worker_) return result_.interrupted = true, false;
    ++result_.workers;
    const std::string& uuid = worker_->hello().environment.device_uuid;
    if (!plan_.device_uuid.empty() && uuid != plan_.device_uuid)
      throw Error("the worker stands on device '" + uuid + "', the run on '" + plan_.device_uuid +
                  "'");
    events_.on_worker(worker_->hello());
    return true;
  }

  std::unique_ptr<Worker> started_worker() {
    for (int attempt = 1;; ++attempt) try {
        return factory_(Profile::timing);
      } catch (const WorkerStartError& error) {
        if (attempt == kStartAttempts)
          throw Error(std::string(error.what()) + "; tried " + std::to_string(attempt) +
                      " times in a row; `plumbline doctor` says what is missing");
        events_.on_note(error.what());
        if (stopped()) return nullptr;
      }
  }

  void retire() {
    if (worker_ && worker_->usable() && !result_.interrupted)
      if (const std::string what = worker_->finish(); !what.empty())
        events_.on_note("worker " + worker_->name() + " " + what);
    worker_.reset();
  }

  bool stopped() {
    if (interrupt_ && interrupt_->requested()) result_.interrupted = true;
    return result_.interrupted;
  }

  double remaining_s() const {
    if (result_.visits == 0) return kUnknown;
    return spent_s_ / double(result_.visits) * double(planned_ - finished_);
  }

  const Plan& plan_;
  const WorkerFactory& factory_;
  const ScheduleEvents& events_;
  Interrupt* interrupt_;
  std::set<std::tuple<std::string, std::string, std::int64_t>> done_;
  std::map<std::pair<std::string, std::string>, std::int64_t> given_up_;  // and in which round
  std::unique_ptr<Worker> worker_;
  std::int64_t rounds_ = 0;
  std::size_t finished_ = 0, planned_ = 0;
  double spent_s_ = 0;
  ScheduleResult result_;
};

}  // namespace

bool Shard::holds(const Case& c) const {
  return count <= 1 ||
         hash_of(c, 0) % static_cast<std::uint64_t>(count) == static_cast<std::uint64_t>(index - 1);
}

ScheduleResult run_cases(const Plan& plan, const WorkerFactory& factory,
                         const ScheduleEvents& events, Interrupt* interrupt) {
  return Scheduler(plan, factory, events, interrupt).run();
}

std::vector<std::size_t> order_of_round(std::span<const Case> cases, std::int64_t seed,
                                        std::int64_t round, const Shard& shard) {
  const std::uint64_t round_seed =
      mixed(static_cast<std::uint64_t>(seed)) + static_cast<std::uint64_t>(round) + 1;
  std::vector<std::pair<std::uint64_t, std::size_t>> keys;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (is_runnable(cases[i]) && cases[i].policy->rounds > round && shard.holds(cases[i]))
      keys.emplace_back(hash_of(cases[i], round_seed), i);
  std::ranges::sort(keys);
  std::vector<std::size_t> order;
  for (const auto& key : keys) order.push_back(key.second);
  return order;
}

std::vector<ResultRow> rows_of(const Case& c, const MeasureAnswer& answer) {
  ResultRow common = identity_of(c);
  common.status = answer.status;
  common.reason = answer.reason;
  if (common.reason.empty() && common.status != Status::ok)
    common.reason = "the worker gave no reason";
  common.kernels = answer.kernels;
  common.flops = answer.flops;
  common.bytes = answer.bytes;
  common.error_rel_l2 = answer.error_rel_l2;
  common.error_max_abs = answer.error_max_abs;
  common.tolerance = answer.tolerance;
  for (const auto& [phase, seconds] : answer.spent_s)
    common.spent += (common.spent.empty() ? "" : ";") + phase + '=' + shortest_text(seconds);
  if (!has_samples(answer.status)) return {common};

  std::vector<ResultRow> rows;
  for (const MetricReading& metric : answer.metrics) {
    ResultRow& row = rows.emplace_back(common);
    row.metric = metric.metric;
    row.unit = metric.unit;
    row.part = static_cast<std::int64_t>(rows.size());
    row.parts = static_cast<std::int64_t>(answer.metrics.size());
    row.batch = metric.batch;
    row.floor_s = metric.floor_s;
    row.samples = metric.samples;
    row.block_times_s = metric.block_times_s;
    row.block_clocks_hz = metric.block_clocks_hz;
    row.temperature_c = metric.temperature_c;
    row.power_w = metric.power_w;
    row.throttle = metric.throttle;
    row.flags = metric.flags;
  }
  return rows;
}

}  // namespace plumbline
