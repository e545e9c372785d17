#include "simulation/run_lives.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/moment.h"
#include "schedule/agenda.h"
#include "schedule/device_lock.h"
#include "schedule/shards.h"
#include "store/run/run_reader.h"
#include "store/shards/run_progress.h"
#include "workflow/setup/run_plan.h"
#include "workflow/setup/shard_plan.h"

namespace plumbline::simulation {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostLives = 4;  // with disturbances

std::string name_of_run(SideNumber side, std::size_t shard) {
  return std::string(side == 0 ? "base" : "cand") +
         (shard == 0 ? "" : "-shards/s" + std::to_string(shard));
}

template <class Action>
void must_refuse(const char* what, Action action) {
  try {
    action();
  } catch (const Error&) {
    return;
  }
  violate(what);
}

/// Called by the writer's listener only once append_visit() has returned.
class Keeper : public Deaf {
 public:
  Keeper(Ledger& ledger, Kernel& kernel) : ledger_(ledger), kernel_(kernel) {}
  void on_visit(const Case&, std::span<const ResultRow> rows) override {
    ledger_.keep(rows);
    kernel_.step();
  }
  void on_progress(const Case&, const Progress& progress) override {
    if (progress.finished >= progress.planned) violate("a visit follows the last one");
    if (progress.remaining_s < 0) violate("the time that is left is below 0");
  }

 private:
  Ledger& ledger_;
  Kernel& kernel_;
};

}  // namespace

void check_locks(const World& world, const std::vector<std::string>& uuids,
                 const std::string& run_directory) {
  for (const std::string& uuid : uuids)
    if (const auto holder = lock_holder(uuid, world.locks()))
      violate("the lock of " + uuid + " is still held by " + *holder);
  const std::string path = run_directory + "/results.csv";
  if (!fs::exists(path)) return;
  const OpenFile file = open_file(path, O_RDONLY | O_CLOEXEC);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) violate(path + " is still locked");
}

void check_files(const std::string& folder, bool is_finished, std::size_t deaths) {
  std::size_t temporary = 0;
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("run.json.tmp") || name.starts_with("summary.csv.tmp"))
      ++temporary;
    else if (name != "run.json" && name != "results.csv" && name != "summary.csv")
      violate("found " + name + " in the folder of a run");
    else
      found.push_back(name);
  }
  if (temporary > deaths) violate("more temporary files than killed processes in " + folder);
  if (is_finished && found.size() != 3) violate("a finished run lacks a file: " + folder);
}

SimulatedRun::SimulatedRun(World& world, SideNumber side, std::size_t shard, Dice dice)
    : world_(world),
      side_(side),
      path_(world.folder + "/" + name_of_run(side, shard)),
      dice_(dice),
      turns_(dice.apart(7)),
      ledger_(world.scenario, side) {
  cases_ = world.scenario.cases;
  for (std::size_t i = 0; i < world.scenario.devices; ++i) uuids_.push_back(device_uuid(i));
  info_ = info_of(world.scenario, side, uuids_);
  if (shard > 0)
    info_.shard = text_of(ShardNumber{std::int64_t(shard), std::int64_t(world.scenario.shards)});
  const ShardPlan plan = keep_shard(cases_, {info_.shard, ""});
  record_shard(plan, cases_, info_);
  for (const Case& c : cases_) subjects_.push_back(world.scenario.position_of(c.id));
}

bool SimulatedRun::is_begun() const { return fs::exists(path_ + "/run.json"); }

void SimulatedRun::live_through() {
  const std::uint64_t visits = world_.scenario.expected(subjects_, side_).size();
  const std::uint64_t lives = dice_.below(kMostLives + 1);
  for (std::uint64_t life = 0; life < lives && !is_finished_; ++life) {
    // A visit has four steps. Workers, the record and the end of a run have about 40.
    const LifePlan plan = draw_life(dice_, 4 * visits + 40, !world_.scenario.has_trace());
    live(plan);
    if (!is_finished_) on_unfinished();
  }
  if (!is_finished_) live(quiet());
  if (!is_finished_) violate("an undisturbed life does not finish the run");
  check_finished();
  world_.tally.add(Count::runs);
}

void SimulatedRun::choose_devices() {
  if (!world_.scenario.changes_devices || !dice_.chance(0.5)) return;
  uuids_.clear();
  const std::size_t first = dice_.below(4), count = dice_.between(1, 3);
  for (std::size_t i = 0; i < count; ++i) uuids_.push_back(device_uuid(first + i));
  has_changed_devices_ = true;
  world_.tally.add(Count::other_devices);
}

std::vector<RunDevice> SimulatedRun::devices_of(Workers& workers) {
  std::vector<RunDevice> devices;
  for (const std::string& uuid : uuids_)
    devices.push_back({"cuda:" + uuid, uuid, [this, &workers, uuid](WorkerKind kind) {
                         return workers.start(kind, side_, uuid, ledger_);
                       }});
  return devices;
}

/// As open_run() of run_suites.cpp does; a run that was killed as it began is begun anew.
RunWriter SimulatedRun::opened(EarlierVisits& measured) {
  RunInfo now = info_;
  now.environment.device_uuids = uuids_;
  if (!is_begun()) {
    now.started_at = now_utc();
    now.planned_visits =
        std::int64_t(Agenda({cases_, now.policy.seed, {}, "", {}, "cuda"}).planned());
    return RunWriter(path_, now, RowsKept::none);
  }
  RunWriter::Resumed resumed = RunWriter::resume(path_);
  if (resumed.visits.size() != ledger_.in_file())
    violate("resume found " + std::to_string(resumed.visits.size()) + " visits, kept were " +
            std::to_string(ledger_.in_file()));
  check_same_run(resumed.writer.info(), now, world_.scenario.changes_devices);
  resumed.writer.record_devices(uuids_);
  measured = resumed.visits;
  return std::move(resumed.writer);
}

SimulatedRun::End SimulatedRun::measure(const LifePlan& plan, Interrupt& interrupt,
                                        Workers& workers) {
  std::vector<DeviceLock> locks;
  for (const std::string& uuid : uuids_) locks.emplace_back(uuid, "'first'", world_.locks());
  EarlierVisits measured;
  RunWriter writer = opened(measured);
  const Plan schedule{cases_, info_.policy.seed, {}, "", measured, "cuda", worker_hash(side_)};
  const auto devices = devices_of(workers);
  Keeper keeper(ledger_, world_.kernel);
  const ScheduleResult result = measure_into(
      writer, schedule,
      {devices, "", keeper, interrupt, [&](auto functions) { turns_.run_all(functions); }});
  if (result.interrupted) {
    if (!world_.kernel.was_interrupted()) violate("interrupted without Ctrl-C");
    return End::stopped;
  }
  if (workers.must_stop()) violate("the run went on without a device");
  if (workers.was_replaced()) violate("the run went on with another program");
  if (plan.kernel.full_from != KernelFaults::kNever && world_.kernel.is_full())
    violate("the run went on although the disk was full");
  writer.finish(now_utc());
  return End::finished;
}

void SimulatedRun::live(const LifePlan& plan) {
  choose_devices();
  const bool had_file = fs::exists(path_ + "/results.csv");
  world_.kernel.begin_life(++world_.processes, plan.kernel);
  End end = End::stopped;
  {
    const InProcess inside(&world_.kernel);
    if (plan.has_watcher && had_file) {
      const int watching = ::open((path_ + "/results.csv").c_str(), O_RDONLY | O_CLOEXEC);
      ::flock(watching, LOCK_SH);
      world_.kernel.hold_for_sleeps(watching, 3);
      world_.tally.add(Count::watchers);
    }
    Interrupt interrupt;
    Workers workers(world_.scenario, plan, world_.kernel, turns_, interrupt, world_.tally,
                    dice_.apart(11));
    dice_.next();
    workers.rival = [this] { rival(); };
    try {
      end = measure(plan, interrupt, workers);
    } catch (const Death&) {
      end = End::died;
    } catch (const WorkerReplaced& error) {
      if (!workers.was_replaced()) violate(std::string("an Error for no reason: ") + error.what());
    } catch (const Error& error) {
      if (!workers.must_stop() && !world_.kernel.is_full())
        violate(std::string("an Error for no reason: ") + error.what());
    }
  }
  world_.kernel.end_life();
  check_end(end);
}

void SimulatedRun::check_end(End end) {
  const bool died = end == End::died;
  deaths_ += died;
  left_.reset();
  if (is_begun()) left_ = read_run(path_);
  const bool is_sealed = left_ && !left_->info.finished_at.empty();
  ledger_.end_life(left_ ? &*left_ : nullptr, end == End::finished ? 0 : uuids_.size(), died);
  check_locks(world_, uuids_, path_);
  if (fs::exists(path_)) check_files(path_, is_sealed, deaths_);
  if (end == End::finished && !is_sealed) violate("a run that has ended is not finished");
  if (end == End::stopped && is_sealed) violate("a run that was stopped is finished");
  is_finished_ = is_sealed;
}

/// Another `plumbline run` on the same device and into the same folder, and people who look.
void SimulatedRun::rival() const {
  Tally ignored;
  Kernel other(Dice(1), ignored);
  other.begin_life(2, {});
  const InProcess inside(&other);
  must_refuse("a second run got the device of the first",
              [&] { const DeviceLock lock(uuids_.front(), "'second'", world_.locks()); });
  must_refuse("a second run resumed the run of the first", [&] { RunWriter::resume(path_); });
  must_refuse("a second run began in the folder of the first",
              [&] { const RunWriter writer(path_, info_); });
  const Run seen = read_run(path_);
  if (!seen.warnings.empty()) violate("a warning about a run at work: " + seen.warnings[0]);
  if (text_of(seen.rows) != ledger_.text()) violate("a reader sees other rows than were kept");
  if (!read_progress(path_).is_written) violate("status takes a run at work for a dead one");
}

void SimulatedRun::check_finished() {
  ledger_.check_complete(subjects_);
  const Run& run = *left_;
  if (!run.warnings.empty()) violate("a warning about a finished run: " + run.warnings[0]);
  std::set<std::string> recorded;
  for (const WorkerRecord& worker : run.info.workers) recorded.insert(worker.name);
  for (const std::string& worker : ledger_.workers())
    if (!recorded.contains(worker)) violate("run.json lacks worker " + worker);
  for (const ResultRow& row : run.rows)
    if (std::ranges::find(run.info.environment.device_uuids, row.device) ==
        run.info.environment.device_uuids.end())
      violate("run.json lacks device " + row.device);
  must_refuse("a finished run is resumed", [&] { RunWriter::resume(path_); });
  if (!has_changed_devices_) check_undisturbed(run);
}

/// The same run in memory, without disturbances: only names of workers and the order may differ.
void SimulatedRun::check_undisturbed(const Run& run) {
  Tally ignored;
  Kernel kernel(Dice(3), ignored);
  kernel.begin_life(3, {});
  const InProcess inside(&kernel);
  Interrupt interrupt;
  Ledger ledger(world_.scenario, side_);
  const LifePlan plan = quiet();
  Workers workers(world_.scenario, plan, kernel, turns_, interrupt, ignored, Dice(4));
  std::vector<RunDevice> devices;
  for (const std::string& uuid : uuids_)
    devices.push_back({uuid, uuid, [&, uuid](WorkerKind kind) {
                         return workers.start(kind, side_, uuid, ledger);
                       }});
  std::vector<ResultRow> rows;
  ScheduleEvents events;
  events.on_visit = [&](const Case&, std::span<const ResultRow> visit) {
    rows.insert(rows.end(), visit.begin(), visit.end());
  };
  run_on_devices({cases_, info_.policy.seed, {}, "", {}, "cuda", worker_hash(side_)}, devices,
                 events, &interrupt, [&](auto functions) { turns_.run_all(functions); });
  const auto lines = [](std::vector<ResultRow> of) {
    std::multiset<std::string> texts;
    for (ResultRow& row : of) {
      row.worker = row.worker.substr(0, row.worker.rfind('-'));
      texts.insert(text_of({&row, 1}));
    }
    return texts;
  };
  if (lines(rows) != lines(run.rows)) violate("the rows differ from those of an undisturbed run");
}

}  // namespace plumbline::simulation
