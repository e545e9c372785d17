/// Scripted workers instead of processes, for tests of code that uses workers.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "schedule/scheduler.h"

namespace plumbline {

inline Case make_case(const std::string& name, std::int64_t rounds = 3) {
  Case c;
  c.suite = "s";
  c.name = c.op = name;
  c.backend = "libtorch";
  c.id = name + "/libtorch/n=1";
  c.revision = "1";
  auto policy = std::make_shared<Policy>();
  policy->rounds = rounds;
  c.policy = policy;
  return c;
}

inline std::vector<Case> make_cases(int count, std::int64_t rounds = 3) {
  std::vector<Case> cases;
  for (int i = 0; i < count; ++i) cases.push_back(make_case("op" + std::to_string(i), rounds));
  return cases;
}

inline MeasureAnswer good_answer() {
  MeasureAnswer answer;
  for (const char* name : {"gpu_time_cold", "gpu_time_hot"}) {
    MeasuredMetric reading;
    reading.metric = name;
    reading.unit = "s";
    const std::vector<double> block{1e-3, 1.1e-3};
    reading.samples.add_block(block);
    answer.metrics.push_back(reading);
  }
  return answer;
}

inline MeasureAnswer bad_answer(Status status) {
  MeasureAnswer answer;
  answer.status = status;
  answer.reason = "planted";
  return answer;
}

/// A world of scripted workers: a function of the case's id decides what happens.
struct World {
  std::set<Profile> refused;                                         // profiles in which no worker
                                                                     // starts
  std::set<Profile> lacking;                                         // profiles that are not
                                                                     // offered
  std::map<std::string, std::map<std::string, std::string>> absent;  // case id -> metric -> why
  WorkerEnd end;                                                     // of every worker
  std::map<std::string, double> sentinel = {{"spin", 1e-3}};         // before its cases
  std::map<std::string, Status> failing;           // case id -> the answer's status
  std::set<std::string> deadly;                    // case ids that leave the worker unusable
  std::map<std::string, std::string> left_behind;  // case id -> what the answer reports as left
                                                   // behind
  std::set<std::uint64_t> draws;                   // from all requests
  std::string interrupted_at;                      // case id
  int failed_starts = 0;                           // of the next workers
  std::string uuid = "U";
  std::string hash, later_hash;  // of the first worker's program, and of the others'
  int started = 0, finished = 0, attempts = 0;
  std::vector<std::string> asked;     // "worker case#round"
  std::vector<WorkerKind> kinds;      // of the workers asked for
  std::vector<std::string> prepared;  // "worker, after N visits: profile" of the next one
  std::function<void(WorkerKind)> on_prepare = [](WorkerKind) {};

  class Scripted : public Worker {
   public:
    Scripted(World& world, Profile profile, int number)
        : world_(world), name_(std::string(name_of(profile)) + "-" + std::to_string(number)) {
      hello_.environment.device_uuids = {world.uuid};
      hello_.environment.worker_hash = number == 1 ? world.hash : world.later_hash;
      hello_.calibration = {{"event_floor_s", 3e-6}};
      hello_.sentinel = world.sentinel;
    }
    const Hello& hello() const override { return hello_; }
    const std::string& name() const override { return name_; }
    std::optional<MeasureAnswer> measure(const MeasureRequest& request, double) override {
      EXPECT_TRUE(usable_) << "asked after its end";
      const std::string& id = request.subject.id;
      world_.asked.push_back(name_ + " " + id + "#" + std::to_string(request.round));
      world_.draws.insert(request.draw);
      if (id == world_.interrupted_at) {
        usable_ = false;
        return std::nullopt;
      }
      if (world_.deadly.contains(id)) usable_ = false;
      const auto found = world_.failing.find(id);
      MeasureAnswer answer =
          found == world_.failing.end() ? good_answer() : bad_answer(found->second);
      if (const auto missing = world_.absent.find(id); missing != world_.absent.end())
        answer.absent = missing->second;
      if (const auto left = world_.left_behind.find(id); left != world_.left_behind.end())
        answer.left_behind = left->second;
      return answer;
    }
    bool usable() const override { return usable_; }
    void prepare_next(WorkerKind kind) override {
      EXPECT_TRUE(usable_) << "prepares after its end";
      world_.on_prepare(kind);
      world_.prepared.push_back(name_ + ", after " + std::to_string(world_.asked.size()) +
                                " visits: " + std::string(name_of(kind.profile)));
    }
    WorkerEnd finish() override {
      ++world_.finished;
      return world_.end;
    }

   private:
    World& world_;
    Hello hello_;
    std::string name_;
    bool usable_ = true;
  };

  WorkerFactory factory() {
    return [this](WorkerKind kind) -> std::unique_ptr<Worker> {
      const Profile profile = kind.profile;
      kinds.push_back(kind);
      if (lacking.contains(profile)) {
        ++attempts;
        throw WorkerStartError("it has no such profile", /*is_lasting=*/true);
      }
      if (refused.contains(profile)) {
        ++attempts;
        throw WorkerStartError("it printed: no CUPTI");
      }
      if (failed_starts > 0) {
        --failed_starts;
        throw WorkerStartError("it printed: libcudnn.so.9 not found");
      }
      return std::make_unique<Scripted>(*this, profile, ++started);
    };
  }
};

struct Outcome {
  ScheduleResult result;
  std::vector<ResultRow> rows;
  std::vector<std::string> notes;
  std::vector<WorkerRecord> workers;
};

inline Outcome run(World& world, const Plan& plan, Interrupt* interrupt = nullptr) {
  Outcome outcome;
  ScheduleEvents events;
  events.on_visit = [&](const Case&, std::span<const ResultRow> rows) {
    outcome.rows.insert(outcome.rows.end(), rows.begin(), rows.end());
  };
  events.on_note = [&](const std::string& note) { outcome.notes.push_back(note); };
  events.on_worker = [&](const WorkerRecord& worker) { outcome.workers.push_back(worker); };
  outcome.result = run_cases(plan, world.factory(), events, interrupt);
  return outcome;
}

}  // namespace plumbline
