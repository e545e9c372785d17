#include "simulation/workers.h"

#include <utility>

namespace plumbline::simulation {

class Workers::Scripted : public Worker {
 public:
  struct Start {
    Profile profile;
    SideNumber side;
    std::string uuid, hash;
    bool is_foreign;  // of another device or program: nothing that it measures may be kept
  };

  Scripted(Workers& world, Ledger& ledger, Start start)
      : world_(world), ledger_(ledger), start_(std::move(start)) {
    const std::uint64_t pids = world_.scenario_.reuses_pids ? 4 : 4'000'000;
    name_ =
        std::string(name_of(start_.profile)) + "-" + std::to_string(1 + world_.dice_.below(pids));
    hello_.environment.device_uuids = {start_.uuid};
    hello_.environment.worker_hash = start_.hash;
    hello_.measurement_revision = kMeasurementRevision;
    hello_.calibration = {{"event_floor_s", 3e-6}};
    hello_.sentinel = {{"spin", 1e-3}};
    hello_.arena = "shared";
  }

  const Hello& hello() const override { return hello_; }
  const std::string& name() const override { return name_; }
  bool usable() const override { return is_usable_; }

  std::optional<MeasureAnswer> measure(const MeasureRequest& request, double timeout_s) override {
    if (!is_usable_) violate("a worker is asked after its end");
    if (start_.is_foreign) violate("a worker of another device or program is asked");
    world_.kernel_.step();
    world_.turns_.pass();
    VisitKey visit{world_.scenario_.position_of(request.subject.id), request.round, start_.profile};
    if (world_.is_paired && is_control(visit, request.subject)) return control(visit);
    visit.nth = world_.is_paired && ledger_.has_first(visit);
    ledger_.ask(visit, name_, start_.uuid);
    if (world_.visits_++ == world_.plan_.rival_at) {
      world_.tally_.add(Count::rivals);
      world_.rival();
    }
    world_.turns_.pass();
    world_.kernel_.step();
    if (world_.interrupt_.requested()) {
      is_usable_ = false;
      return std::nullopt;
    }
    world_.tally_.add(Count::visits);
    MeasureAnswer answer = world_.scenario_.answer(visit, start_.side);
    end_as(answer.status, timeout_s);
    return answer;
  }

  WorkerEnd finish() override {
    world_.turns_.pass();
    world_.kernel_.step();
    return {"", {{"spin", 1.001e-3}}};
  }

 private:
  bool is_control(const VisitKey& visit, const Case& declared) const {
    return declared.tags != std::vector{side_tag(start_.side)} || ledger_.is_through(visit);
  }

  /// The baseline's case, in either worker.
  MeasureAnswer control(VisitKey visit) {
    visit.nth = controls_++ * 2 + 2 + int(start_.side);
    MeasureAnswer answer = world_.scenario_.answer(visit, 0);
    end_as(answer.status, 0);
    return answer;
  }

  void end_as(Status status, double timeout_s) {
    const bool is_hung = status == Status::timeout;
    // Late answers come just before the time is over.
    const bool is_late = world_.dice_.chance(0.02);
    world_.kernel_.pass_time(is_hung ? timeout_s : is_late ? 0.999 * timeout_s : 0.5);
    is_usable_ = !is_hung && status != Status::crashed;
    if (is_late && !is_hung) world_.tally_.add(Count::late_answers);
    if (is_hung) world_.tally_.add(Count::hung_workers);
    if (status == Status::crashed) world_.tally_.add(Count::dead_workers);
  }

  Workers& world_;
  Ledger& ledger_;
  Start start_;
  Hello hello_;
  std::string name_;
  int controls_ = 0;
  bool is_usable_ = true;
};

std::unique_ptr<Worker> Workers::start(WorkerKind kind, SideNumber side, const std::string& uuid,
                                       Ledger& ledger) {
  kernel_.step();
  turns_.pass();
  if (interrupt_.requested()) return nullptr;
  if (kind.profile == Profile::trace && scenario_.lacks_trace)
    throw WorkerStartError("planted: no CUPTI", /*is_lasting=*/true);
  Scripted::Start start{kind.profile, side, uuid, worker_hash(side), false};
  Failing& failing = failing_[{side, uuid}];
  if (!failing.has_failed) {
    const auto fault = plan_.starts.find(starts_++);
    if (fault != plan_.starts.end()) switch (fault->second) {
        case StartFault::fails_once:
        case StartFault::fails_twice:
        case StartFault::fails_thrice:
          failing.left = int(fault->second) - int(StartFault::fails_once) + 1;
          has_failed_thrice_ |= failing.left == 3;
          break;
        case StartFault::other_device:
          start.uuid = "GPU-lost";
          has_other_device_ = start.is_foreign = true;
          tally_.add(Count::lost_devices);
          break;
        case StartFault::replaced:
          start.hash = "cccc";
          was_replaced_ = start.is_foreign = true;
          tally_.add(Count::replaced_workers);
          break;
      }
  }
  failing.has_failed = failing.left > 0;
  if (failing.has_failed) {
    --failing.left;
    tally_.add(Count::failed_starts);
    throw WorkerStartError("planted: libcudnn.so.9 not found");
  }
  return std::make_unique<Scripted>(*this, ledger, std::move(start));
}

LifePlan draw_life(Dice& dice, std::uint64_t steps, bool may_fail_thrice) {
  LifePlan plan;
  KernelFaults& kernel = plan.kernel;
  const std::uint64_t at = dice.below(steps + 2);
  const std::uint64_t kind = dice.below(20);
  if (kind < 10) kernel.dies_at = at;
  if (kind >= 10 && kind < 13) kernel.interrupted_at = at;
  if (kind >= 13 && kind < 15) kernel.full_from = at;
  const std::uint64_t start = dice.below(4);
  if (kind == 15 && may_fail_thrice) plan.starts[start] = StartFault::fails_thrice;
  if (kind == 16 || kind == 17) plan.starts[start] = StartFault::other_device;
  if (kind == 18) plan.starts[start] = StartFault::replaced;
  if (dice.chance(0.2)) plan.starts.emplace(dice.below(4), StartFault::fails_once);
  if (dice.chance(0.1)) plan.starts.emplace(dice.below(4), StartFault::fails_twice);
  if (dice.chance(0.1)) plan.rival_at = dice.below(6);
  if (dice.chance(0.2)) {
    kernel.jumps_at = dice.below(steps + 1);
    kernel.jump_s = std::int64_t(dice.below(200'000)) - 100'000;
  }
  kernel.is_slow = dice.chance(0.1);
  plan.has_watcher = dice.chance(0.05);
  return plan;
}

}  // namespace plumbline::simulation
