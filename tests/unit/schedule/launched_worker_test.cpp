/// Workers that load while the previous one measures: processes of tests/support/fake_worker.py.
#include "schedule/launched_worker.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "schedule/scheduler.h"
#include "schedule/worker_process.h"
#include "support/places.h"

namespace plumbline {
namespace {

constexpr double kAmple_s = 60;
constexpr int kAmple_ms = 60'000;

/// Ids of this process's children.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    for (pid_t pid = 0; list >> pid;) found.push_back(pid);
  }
  return found;
}

pid_t pid_of(const Worker& worker) {
  return std::stoi(worker.name().substr(worker.name().find('-') + 1));
}

class StandbyTest : public testing::Test {
 protected:
  StandbyTest() {
    char folder[] = "/tmp/plumbline-test-XXXXXX";
    folder_ = mkdtemp(folder);
    setenv("FAKE_WORKER_DEVICES", R"([["cuda:0", "GPU-1", "Fake GPU"]])", 1);
    setenv("FAKE_WORKER_PROFILES", "timing trace", 1);
    setenv("FAKE_WORKER_TELLS", tells().c_str(), 1);
    command_.argv = {source_dir() / "tests/support/fake_worker.py", "--device", "cuda:0"};
    command_.log_path = folder_ + "/worker.log";
    command_.start_timeout_s = kAmple_s;
    command_.has_successors = true;
  }
  ~StandbyTest() override {
    for (const char* name : {"FAKE_WORKER_DEVICES", "FAKE_WORKER_PROFILES", "FAKE_WORKER_TELLS"})
      unsetenv(name);
    std::filesystem::remove_all(folder_);
  }

  std::string tells() const { return folder_ + "/tells"; }

  /// What workers did with their devices, "a opens, b stands by": the first one seen is a.
  std::string told() const {
    std::ifstream file(tells());
    std::vector<std::string> seen;
    std::string text;
    for (std::string line; std::getline(file, line);) {
      const std::string pid = line.substr(0, line.find(' '));
      auto at = std::find(seen.begin(), seen.end(), pid);
      if (at == seen.end()) at = seen.insert(at, pid);
      text += (text.empty() ? "" : ", ") + std::string(1, char('a' + (at - seen.begin()))) +
              line.substr(pid.size());
    }
    return text;
  }

  static void measure(Worker& worker, const std::string& behaviour = "ok") {
    Case c;
    c.id = "fake/libtorch/n=1";
    c.params["fake"] = behaviour;
    c.policy = std::make_shared<Policy>();
    EXPECT_TRUE(worker.measure({c, *c.policy, 0, 1}, kAmple_s));
  }

  /// The single child other than `worker`; waits until it stands by.
  pid_t standby_beside(const Worker& worker) {
    std::vector<pid_t> others = children();
    std::erase(others, pid_of(worker));
    EXPECT_EQ(others.size(), 1u);
    if (others.size() != 1) return -1;
    const Deadline deadline = deadline_in(kAmple_s);
    while (told().find("stands by") == std::string::npos && milliseconds_until(deadline) > 0)
      sched_yield();
    EXPECT_NE(told().find("stands by"), std::string::npos);
    return others[0];
  }

  std::string folder_;
  WorkerCommand command_;
};

TEST_F(StandbyTest, TheNextWorkerWaitsUntilItsPredecessorHasEndedAndIsNeeded) {
  const WorkerFactory factory = worker_processes(command_, nullptr);
  auto first = factory({});
  first->prepare_next({});
  const pid_t standby = standby_beside(*first);
  measure(*first);
  EXPECT_EQ(told(), "a opens, b stands by");
  EXPECT_EQ(first->finish().complaint, "");
  first.reset();
  EXPECT_EQ(told(), "a opens, b stands by, a closes");
  const auto second = factory({});
  EXPECT_EQ(pid_of(*second), standby);
  measure(*second);
  EXPECT_EQ(second->finish().complaint, "");
  EXPECT_EQ(told(), "a opens, b stands by, a closes, b opens, b closes");
}

TEST_F(StandbyTest, AWorkerHearsOfTheFastestContextOfThoseBeforeIt) {
  const WorkerFactory factory = worker_processes(command_, nullptr);
  std::vector<double> chains_s;
  for (const char* const step_s : {"0", "-1e-6", "2e-6", "0"}) {
    setenv("FAKE_WORKER_CHAIN_STEP", step_s, 1);
    const auto worker = factory({});
    chains_s.push_back(worker->hello().calibration.at("context_chain_s"));
  }
  unsetenv("FAKE_WORKER_CHAIN_STEP");
  const std::vector<double> expected_s{29e-6, 28e-6, 30e-6, 28e-6};
  for (std::size_t i = 0; i < expected_s.size(); ++i)
    EXPECT_NEAR(chains_s[i], expected_s[i], 1e-12) << "worker " << i;
}

TEST_F(StandbyTest, WhereItMeasuresItHearsWhenItIsNeeded) {
  const PairWorkers workers = pair_worker_processes(command_, nullptr);
  auto first = workers.start({}, "share");
  first->prepare_next({});
  const pid_t standby = standby_beside(*first);
  EXPECT_EQ(first->finish().complaint, "");
  first.reset();
  const auto second = workers.start({}, "a-handle");
  EXPECT_EQ(pid_of(*second), standby);
  EXPECT_EQ(told(), "a opens in share, b stands by, a closes, b opens in a-handle");
}

TEST_F(StandbyTest, AWorkerWithAnAllocatorOfLibTorchMeasuresInNoArena) {
  const PairWorkers workers = pair_worker_processes(command_, nullptr);
  const WorkerKind kind{Profile::timing, kDefaultConnections, false, TensorAllocator::native};
  auto first = workers.start(kind, "share");
  first->prepare_next(kind);
  const pid_t standby = standby_beside(*first);
  first->finish();
  first.reset();
  const auto second = workers.start(kind, "a-handle");
  EXPECT_EQ(pid_of(*second), standby);
  EXPECT_EQ(told(), "a opens in none, b stands by, a closes, b opens in none");
}

TEST_F(StandbyTest, OfTwoThatStandByEachHasItsTurnAndHearsOfTheFastestContextThen) {
  setenv("FAKE_WORKER_CHAIN_STEP", "-1e-6", 1);
  const PairWorkers workers = pair_worker_processes(command_, nullptr);
  const std::vector<WorkerKind> two(2);
  workers.stand_by(two);
  const std::vector<pid_t> waiting = children();
  EXPECT_EQ(waiting.size(), 2u);
  for (const double expected_s : {28e-6, 27e-6}) {
    const auto worker = workers.start({}, "");
    EXPECT_TRUE(std::ranges::count(waiting, pid_of(*worker)));
    EXPECT_NEAR(worker->hello().calibration.at("context_chain_s"), expected_s, 1e-12);
    worker->finish();
  }
  unsetenv("FAKE_WORKER_CHAIN_STEP");
  EXPECT_TRUE(children().empty());
}

TEST_F(StandbyTest, OneThatIsPreparedTwiceIsOneProcess) {
  const WorkerFactory factory = worker_processes(command_, nullptr);
  const auto first = factory({});
  first->prepare_next({});
  const pid_t standby = standby_beside(*first);
  first->prepare_next({});
  EXPECT_EQ(standby_beside(*first), standby);
}

TEST_F(StandbyTest, OneOfAnotherKindTakesItsPlace) {
  const WorkerFactory factory = worker_processes(command_, nullptr);
  const auto first = factory({});
  first->prepare_next({});
  const pid_t in_vain = standby_beside(*first);
  first->prepare_next({Profile::trace, 32});
  EXPECT_EQ(kill(in_vain, 0), -1) << "it still lives";
  const pid_t standby = standby_beside(*first);
  first->finish();
  const auto second = factory({Profile::trace, 32});
  EXPECT_EQ(pid_of(*second), standby);
  EXPECT_EQ(second->hello().environment.connections, 32);
}

TEST_F(StandbyTest, AWorkerOfAnotherKindIsStartedBesideIt) {
  const WorkerFactory factory = worker_processes(command_, nullptr);
  auto first = factory({});
  first->prepare_next({Profile::trace});
  const pid_t standby = standby_beside(*first);
  first->finish();
  auto again = factory({});  // the first had to be replaced
  EXPECT_NE(pid_of(*again), standby);
  measure(*again);
  again->finish();
  EXPECT_EQ(pid_of(*factory({Profile::trace})), standby);
}

TEST_F(StandbyTest, ItTakesTheTurnOfAWorkerThatCrashes) {
  const WorkerFactory factory = worker_processes(command_, nullptr);
  auto first = factory({});
  first->prepare_next({});
  const pid_t standby = standby_beside(*first);
  measure(*first, "segfault");
  EXPECT_FALSE(first->usable());
  first.reset();
  const auto second = factory({});
  EXPECT_EQ(pid_of(*second), standby);
  measure(*second);
}

TEST_F(StandbyTest, OneThatDiesStandingByIsReplacedByAFreshOne) {
  command_.argv.insert(command_.argv.end(), {"--start", "exit standing by"});
  const WorkerFactory factory = worker_processes(command_, nullptr);
  auto first = factory({});
  first->prepare_next({});
  std::vector<pid_t> others = children();
  std::erase(others, pid_of(*first));
  ASSERT_EQ(others.size(), 1u);
  siginfo_t ended;  // leaves it unreaped
  ASSERT_EQ(waitid(P_PID, id_t(others[0]), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(ended.si_status, 7);
  first->finish();
  const auto second = factory({});
  EXPECT_NE(pid_of(*second), others[0]);
  measure(*second);
}

TEST_F(StandbyTest, WhatItCannotLoadIsSaidByTheWorkerThatIsStartedInItsPlace) {
  const std::string worker = folder_ + "/worker";
  std::filesystem::copy_file(command_.argv[0], worker);
  command_.argv[0] = worker;
  const WorkerFactory factory = worker_processes(command_, nullptr);
  const auto first = factory({});
  std::filesystem::remove(worker);
  first->prepare_next({});
  EXPECT_EQ(first->finish().complaint, "");
  EXPECT_THROW(factory({}), WorkerStartError);
}

TEST_F(StandbyTest, NoneOutlivesItsFactoryAndTheWorkers) {
  pid_t standby = 0;
  {
    const WorkerFactory factory = worker_processes(command_, nullptr);
    const auto first = factory({});
    first->prepare_next({});
    standby = standby_beside(*first);
  }
  EXPECT_EQ(kill(standby, 0), -1) << "it still lives";
  EXPECT_TRUE(children().empty());
}

TEST_F(StandbyTest, NoneOutlivesAProgramThatIsKilled) {
  Pipe names = make_pipe();
  const pid_t program = fork();
  if (program == 0) {
    const WorkerFactory factory = worker_processes(command_, nullptr);
    const auto first = factory({});
    first->prepare_next({});
    const pid_t standby = standby_beside(*first);
    (void)!write(names.write_end.get(), &standby, sizeof standby);
    while (true) pause();
  }
  pid_t standby = 0;
  ASSERT_EQ(read(names.read_end.get(), &standby, sizeof standby), ssize_t(sizeof standby));
  const Descriptor end(int(syscall(SYS_pidfd_open, standby, 0)));
  ASSERT_GE(end.get(), 0);
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  pollfd watched{end.get(), POLLIN, 0};
  EXPECT_EQ(poll(&watched, 1, kAmple_ms), 1) << "it still lives";
}

TEST_F(StandbyTest, ASignalWhileItGoesOnEndsTheStartAtOnce) {
  Interrupt interrupt;
  const WorkerFactory factory = worker_processes(command_, &interrupt);
  auto first = factory({});
  first->prepare_next({});
  const pid_t standby = standby_beside(*first);
  first->finish();
  first.reset();
  raise(SIGINT);
  EXPECT_EQ(factory({}), nullptr);
  EXPECT_EQ(kill(standby, 0), -1) << "it still lives";
}

TEST_F(StandbyTest, ThereIsNoneWhereItIsNotAskedFor) {
  command_.has_successors = false;
  const WorkerFactory factory = worker_processes(command_, nullptr);
  const auto first = factory({});
  first->prepare_next({});
  EXPECT_EQ(children(), std::vector{pid_of(*first)});
}

TEST_F(StandbyTest, ARunUsesOneWorkerAfterTheOtherAndLeavesNone) {
  std::vector<Case> cases(1);
  cases[0].suite = "s";
  cases[0].id = "fake/libtorch/n=1";
  cases[0].backend = "libtorch";
  auto policy = std::make_shared<Policy>();
  policy->rounds = 3;
  policy->metrics = {"gpu_time"};
  policy->timeout_s = kAmple_s;
  cases[0].policy = policy;
  ScheduleEvents events;
  std::vector<Status> statuses;
  events.on_visit = [&](const Case&, std::span<const ResultRow> rows) {
    statuses.push_back(rows[0].status);
  };
  const Plan plan{cases, 1, {}, "GPU-1", {}, "cuda"};
  {
    const WorkerFactory factory = worker_processes(command_, nullptr);
    const ScheduleResult result = run_cases(plan, factory, events, nullptr);
    EXPECT_EQ(result.workers, 3u);
  }
  EXPECT_EQ(statuses, std::vector<Status>(3, Status::ok));
  EXPECT_TRUE(children().empty());
  std::istringstream words(told());
  std::string steps;  // of the device, which only one worker uses at a time
  for (std::string word; words >> word;)
    if (word.starts_with("open") || word.starts_with("close")) steps += word[0];
  EXPECT_EQ(steps, "ocococ");
}

}  // namespace
}  // namespace plumbline
