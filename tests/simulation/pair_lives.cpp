#include "simulation/pair_lives.h"

#include <filesystem>
#include <memory>
#include <optional>

#include "core/moment.h"
#include "schedule/device_lock.h"
#include "simulation/verdicts.h"
#include "store/run/run_reader.h"
#include "support/kept_talk.h"
#include "workflow/judge/measured_pairs.h"
#include "workflow/sides/pair_looks.h"

namespace plumbline::simulation {
namespace {

constexpr std::uint64_t kMostLives = 2;  // with disturbances
constexpr double kControlShare = 0.2;
const std::string kDevice = device_uuid(0);

/// Gives the rows of a visit to the ledger of its side.
class PairKeeper : public Deaf {
 public:
  PairKeeper(std::array<Ledger, 2>& ledgers, Kernel& kernel) : ledgers_(ledgers), kernel_(kernel) {}
  void on_visit(const Case& c, std::span<const ResultRow> rows) override {
    ledgers_[c.tags.front() == side_tag(1)].keep(rows);
    kernel_.step();
  }
  void on_progress(const Case&, const Progress& progress) override {
    if (progress.remaining_s < 0) violate("the time that is left is below 0");
  }

 private:
  std::array<Ledger, 2>& ledgers_;
  Kernel& kernel_;
};

/// One try to measure the pairs.
class PairLife {
 public:
  PairLife(World& world, const std::set<CaseKey>& cases, std::string folder, bool has_controls)
      : world_(world), folder_(std::move(folder)), has_controls_(has_controls) {
    for (const Case& c : world.scenario.cases)
      if (cases.contains({c.suite, c.id})) cases_.push_back(c);
    for (Case& c : cases_) {
      auto policy = std::make_shared<Policy>(*c.policy);
      policy->rounds = std::int64_t(default_paired_rule("cuda").looks.back());
      c.policy = policy;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      declared_[i] = cases_;
      for (Case& c : declared_[i]) c.tags = {side_tag(i)};
    }
  }

  /// Nothing if it was stopped.
  std::optional<MeasuredInPairs> live(const LifePlan& plan, Dice dice) {
    std::optional<MeasuredInPairs> measured;
    world_.kernel.begin_life(++world_.processes, plan.kernel);
    bool died = false;
    {
      const InProcess inside(&world_.kernel);
      Interrupt interrupt;
      Turns turns(dice.apart(1));
      Workers workers(world_.scenario, plan, world_.kernel, turns, interrupt, world_.tally,
                      dice.apart(2));
      workers.is_paired = true;
      try {
        measured = measure(workers, interrupt);
        if (measured && (workers.must_stop() || workers.was_replaced() || world_.kernel.is_full()))
          violate("pairs went on although they could not");
      } catch (const Death&) {
        died = true;
      } catch (const WorkerReplaced& error) {
        if (!workers.was_replaced())
          violate(std::string("an Error for no reason: ") + error.what());
      } catch (const Error& error) {
        if (!workers.must_stop() && !world_.kernel.is_full())
          violate(std::string("an Error for no reason: ") + error.what());
      }
    }
    world_.kernel.end_life();
    check_end(measured.has_value(), died);
    return measured;
  }

 private:
  std::optional<MeasuredInPairs> measure(Workers& workers, Interrupt& interrupt) {
    const DeviceLock lock(kDevice, "'pairs'", world_.locks());
    std::array<std::unique_ptr<RunWriter>, 2> writers;
    std::array<RunInfo, 2> infos;
    for (std::size_t i = 0; i < 2; ++i) {
      infos[i] = info_of(world_.scenario, i, {kDevice});
      infos[i].started_at = now_utc();
      writers[i] = std::make_unique<RunWriter>(side_path(i), infos[i]);
    }
    PairPlan plan{{cases_, infos[1].policy.seed, {}, kDevice, {}, "cuda"}};
    for (std::size_t i = 0; i < 2; ++i) {
      plan.worker_hashes[i] = worker_hash(i);
      for (const Case& c : declared_[i]) plan.declared[i].push_back(&c);
    }
    ControlRuns controls(folder_ + "/controls", infos[0]);
    if (has_controls_) plan.controls = control_order(plan);
    MeasuredInPairs done{folder_, {}, PairedTrial(default_paired_rule("cuda"), {})};
    PairKeeper keeper(ledgers_, world_.kernel);
    std::array<PairWorkers, 2> starts;
    for (std::size_t i = 0; i < 2; ++i)
      starts[i].start = [this, i, &workers](WorkerKind kind, const std::string&) {
        return workers.start(kind, i, kDevice, ledgers_[i]);
      };
    const PairLooks looks = measure_looks(plan, done.trial,
                                          {{writers[0].get(), writers[1].get()},
                                           {},
                                           starts,
                                           controls,
                                           has_controls_ ? kControlShare : 0,
                                           keeper,
                                           interrupt});
    if (looks.interrupted) return std::nullopt;
    for (const auto& writer : writers) writer->finish(now_utc());
    controls.finish(now_utc());
    for (std::size_t i = 0; i < 2; ++i) {
      done.runs[i] = writers[i]->run();
      if (text_of(done.runs[i].rows) != ledgers_[i].text())
        violate("pairs judge other rows", Harm::wrong_verdict);
    }
    return done;
  }

  void check_end(bool is_whole, bool died) {
    for (std::size_t i = 0; i < 2; ++i) {
      check_locks(world_, {kDevice}, side_path(i));
      std::optional<Run> left;
      if (std::filesystem::exists(side_path(i) + "/run.json")) left = read_run(side_path(i));
      ledgers_[i].end_life(left ? &*left : nullptr, 1, died);
      if (!left) continue;
      const Run& run = *left;
      if (is_whole && (run.info.finished_at.empty() || !run.warnings.empty()))
        violate("pairs that have ended are not finished");
    }
    if (!is_whole) require_no_verdict(died);
  }

  /// Pairs that were stopped judge nothing.
  void require_no_verdict(bool died) {
    std::size_t finished = 0;
    for (std::size_t i = 0; i < 2; ++i)
      finished += std::filesystem::exists(side_path(i) + "/run.json") &&
                  !read_run(side_path(i)).info.finished_at.empty();
    if (finished == 2) {  // killed after the last write, or while the controls were finished
      if (!died && !world_.kernel.is_full()) violate("pairs that were stopped are finished");
      return;
    }
    KeptTalk talk;
    Comparison comparison;
    const Run none;
    Run candidate;
    candidate.info = info_of(world_.scenario, 1, {kDevice});
    try {
      confirm_by_folders({folder_}, {}, {comparison, {}, none, candidate, {}}, talk);
    } catch (const Error&) {
      return;
    }
    violate("pairs that were stopped judge cases");
  }

  std::string side_path(std::size_t side) const { return folder_ + "/" + "ab"[side]; }

  World& world_;
  std::string folder_;
  bool has_controls_;
  std::vector<Case> cases_;
  std::array<std::vector<Case>, 2> declared_;
  std::array<Ledger, 2> ledgers_{Ledger(world_.scenario, 0), Ledger(world_.scenario, 1)};
};

}  // namespace

MeasuredInPairs measured_pairs(World& world, const std::set<CaseKey>& cases, Dice dice) {
  const bool has_controls = dice.chance(0.2);
  const std::uint64_t disturbed = dice.below(kMostLives + 1);
  for (std::uint64_t life = 0; life <= disturbed; ++life) {
    const LifePlan plan =
        life == disturbed ? quiet() : draw_life(dice, 40 * cases.size() + 60, true);
    PairLife one(world, cases, world.folder + "/pairs" + std::to_string(life), has_controls);
    if (auto measured = one.live(plan, dice.apart(life))) {
      world.tally.add(Count::paired_runs);
      return *std::move(measured);
    }
  }
  violate("an undisturbed life does not finish the pairs");
}

}  // namespace plumbline::simulation
