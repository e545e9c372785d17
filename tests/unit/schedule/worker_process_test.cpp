#include "schedule/worker_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "schedule/scheduler.h"
#include "support/places.h"

namespace plumbline {
namespace {

constexpr double kAmple_s = 60;    // for things that happen at once
constexpr double kShort_s = 0.15;  // for things that never happen

class WorkerProcessTest : public testing::Test {
 protected:
  WorkerProcessTest() {
    char folder[] = "/tmp/plumbline-test-XXXXXX";
    folder_ = mkdtemp(folder);
    command_.argv = {source_dir() / "tests/support/fake_worker.py"};
    command_.log_path = folder_ + "/worker.log";
    command_.start_timeout_s = kAmple_s;
  }
  ~WorkerProcessTest() override { std::filesystem::remove_all(folder_); }

  static Case make_case(const std::string& behaviour) {
    Case c;
    c.suite = "s";
    c.op = c.name = "fake";
    c.backend = "libtorch";
    c.id = "fake/libtorch/fake=" + behaviour;
    c.revision = "1";
    c.params["fake"] = behaviour;
    auto policy = std::make_shared<Policy>();
    policy->rounds = 1;
    policy->timeout_s = kAmple_s;
    c.policy = policy;
    return c;
  }

  MeasureAnswer ask(const std::string& behaviour, double timeout_s = kAmple_s) {
    worker_ = std::make_unique<WorkerProcess>(command_, WorkerKind{}, nullptr);
    const Case c = make_case(behaviour);
    const auto answer = worker_->measure({c, *c.policy, 0, 1}, timeout_s);
    EXPECT_TRUE(answer);
    return answer.value_or(MeasureAnswer{});
  }

  std::string start_error(const std::string& behaviour) {
    command_.argv.insert(command_.argv.end(), {"--start", behaviour});
    try {
      WorkerProcess worker(command_, {}, nullptr);
    } catch (const WorkerStartError& error) {
      return error.what();
    }
    return "started";
  }

  std::string folder_;
  WorkerCommand command_;
  std::unique_ptr<WorkerProcess> worker_;
};

#define EXPECT_HAS(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << "in: " << (text)

TEST_F(WorkerProcessTest, AGoodWorkerAnswersAndEndsWhenItIsToldTo) {
  const MeasureAnswer answer = ask("ok");
  EXPECT_EQ(answer.status, Status::ok);
  ASSERT_EQ(answer.metrics.size(), 1u);
  EXPECT_EQ(answer.metrics[0].samples.blocks(), 2u);
  EXPECT_EQ(worker_->hello().environment.device_uuid(), "FAKE-0001");
  EXPECT_EQ(worker_->name().substr(0, 7), "timing-");
  EXPECT_TRUE(worker_->usable());
  const WorkerEnd end = worker_->finish();
  EXPECT_EQ(end.complaint, "");
  EXPECT_EQ(end.sentinel, (std::map<std::string, double>{{"spin", 2e-3}}));
}

TEST_F(WorkerProcessTest, ItsKindDecidesTheNumberOfHardwareQueues) {
  EXPECT_EQ(WorkerProcess(command_, {}, nullptr).hello().environment.connections, 8);
  const WorkerKind many{Profile::timing, 32};
  EXPECT_EQ(WorkerProcess(command_, many, nullptr).hello().environment.connections, 32);
}

TEST_F(WorkerProcessTest, ItsKindDecidesTheAllocatorOfTensors) {
  const auto told = [&](TensorAllocator allocator) {
    const WorkerKind kind{Profile::timing, 8, false, allocator};
    return WorkerProcess(command_, kind, nullptr).hello().environment.allocator;
  };
  EXPECT_EQ(told(TensorAllocator::arena), "");
  EXPECT_EQ(told(TensorAllocator::native), "backend:native");
  EXPECT_EQ(told(TensorAllocator::expandable_segments), "expandable_segments:True");
  EXPECT_EQ(told(TensorAllocator::cuda_malloc_async), "backend:cudaMallocAsync");
}

TEST_F(WorkerProcessTest, WorkersOfOneCommandHandResultsOn) {
  command_.kept_results = std::make_shared<const Descriptor>(make_memory_file("test"));
  EXPECT_EQ(ask("kept").reason, "1 bytes");
  EXPECT_EQ(ask("kept").reason, "2 bytes");
  command_.kept_results = std::make_shared<const Descriptor>(make_memory_file("test"));
  EXPECT_EQ(ask("kept").reason, "1 bytes");
}

TEST_F(WorkerProcessTest, ASegmentationFaultIsACrashThatNamesSignalAndPhase) {
  const MeasureAnswer answer = ask("segfault");
  EXPECT_EQ(answer.status, Status::crashed);
  EXPECT_EQ(answer.reason, "killed by signal 11 (SIGSEGV) while verifying");
  EXPECT_FALSE(worker_->usable());
}

TEST_F(WorkerProcessTest, EveryPhaseOfTheWorkerHasItsWords) {
  for (const auto& [phase, words] : {std::pair{"prepare", "while preparing"},
                                     {"verify", "while verifying"},
                                     {"verify reference", "while computing the reference"},
                                     {"verify races", "while looking for races between streams"},
                                     {"measure", "while measuring"},
                                     {"verify again", "while verifying again"},
                                     {"ponder", "in phase 'ponder'"}})
    EXPECT_EQ(ask(std::string("exit in ") + phase).reason,
              std::string("exited with code 6 ") + words);
}

TEST_F(WorkerProcessTest, ASignal9OfSomebodyElseHintsAtMemory) {
  const MeasureAnswer answer = ask("killed");
  EXPECT_EQ(answer.status, Status::crashed);
  EXPECT_HAS(answer.reason, "killed by signal 9 (SIGKILL), not sent by plumbline");
  EXPECT_HAS(answer.reason, "out-of-memory killer");
}

TEST_F(WorkerProcessTest, AnExitIsACrashThatQuotesWhatWasPrinted) {
  const MeasureAnswer answer = ask("exit");
  EXPECT_EQ(answer.status, Status::crashed);
  EXPECT_EQ(answer.reason, "exited with code 3 while verifying; it printed: libfake: giving up");
}

TEST_F(WorkerProcessTest, AHangIsATimeoutAndTheWorkerIsGone) {
  const MeasureAnswer answer = ask("hang", kShort_s);
  EXPECT_EQ(answer.status, Status::timeout);
  EXPECT_HAS(answer.reason, "no answer within 0.15 s (timeout_s)");
  const pid_t pid = std::stoi(worker_->name().substr(7));
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST_F(WorkerProcessTest, NonsenseIsACrashThatQuotesIt) {
  const MeasureAnswer answer = ask("garbage");
  EXPECT_EQ(answer.status, Status::crashed);
  EXPECT_HAS(answer.reason, "answered nonsense while verifying");
  EXPECT_HAS(answer.reason, "no JSON at all");
}

TEST_F(WorkerProcessTest, HalfALineIsACrash) {
  const MeasureAnswer answer = ask("half");
  EXPECT_EQ(answer.status, Status::crashed);
  EXPECT_EQ(answer.reason, "exited with code 0 while verifying, in the middle of a line");
}

TEST_F(WorkerProcessTest, AnEndlessLineIsACrashAndDoesNotFillTheMemory) {
  command_.longest_line_bytes = 1 << 20;
  const MeasureAnswer answer = ask("huge");
  EXPECT_EQ(answer.status, Status::crashed);
  EXPECT_HAS(answer.reason, "longer than 1048576 bytes");
}

TEST_F(WorkerProcessTest, AWorkerThatLeavesAnOrphanWithItsPipeIsSeenAsDead) {
  const MeasureAnswer answer = ask("orphan");
  EXPECT_EQ(answer.status, Status::crashed);
  EXPECT_HAS(answer.reason, "exited with code 4");
}

TEST_F(WorkerProcessTest, AMemoryErrorIsHandedOnAsAnswered) {
  const MeasureAnswer answer = ask("OUT_OF_MEMORY");
  EXPECT_EQ(answer.status, Status::out_of_memory);
  EXPECT_EQ(answer.reason, "planted OUT_OF_MEMORY");
}

TEST_F(WorkerProcessTest, ARequestToADeadWorkerIsACrashAndNoBrokenPipe) {
  ask("deaf");
  const Case c = make_case("ok");
  const auto answer = worker_->measure({c, *c.policy, 0, 1}, kAmple_s);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, Status::crashed);
  EXPECT_EQ(answer->reason, "exited with code 0 while taking the request");
}

TEST_F(WorkerProcessTest, ABadEndAfterTheLastRequestIsTold) {
  command_.argv.insert(command_.argv.end(), {"--start", "bad end"});
  ask("ok");
  EXPECT_EQ(worker_->finish().complaint, "exited with code 5 after its last request");
}

TEST_F(WorkerProcessTest, AnOlderWorkerIsNotAskedForAGoodbye) {
  command_.argv.insert(command_.argv.end(), {"--start", "old"});
  ask("ok");
  const WorkerEnd end = worker_->finish();
  EXPECT_EQ(end.complaint, "");
  EXPECT_TRUE(end.sentinel.empty());
}

TEST_F(WorkerProcessTest, AMissingGoodbyeIsTold) {
  command_.argv.insert(command_.argv.end(), {"--start", "no goodbye"});
  ask("ok");
  EXPECT_EQ(worker_->finish().complaint, "ended without the goodbye that it was asked for");
}

TEST_F(WorkerProcessTest, AWorkerThatDoesNotComeToAnEndIsKilled) {
  command_.argv.insert(command_.argv.end(), {"--start", "hang at the end"});
  command_.finish_timeout_s = kShort_s;
  ask("ok");
  EXPECT_EQ(worker_->finish().complaint,
            "did not end within 0.15 s after its last request, and was killed");
}

TEST_F(WorkerProcessTest, AMissingProgramIsNamed) {
  command_.argv = {folder_ + "/no-such-worker"};
  EXPECT_EQ(start_error(""),
            "cannot start '" + folder_ + "/no-such-worker': No such file or directory");
}

TEST_F(WorkerProcessTest, AWorkerThatCannotLoadItsLibrariesIsQuoted) {
  EXPECT_HAS(start_error("exit"),
             "exited with code 127; it printed: libfake.so.1: cannot open shared object file");
}

TEST_F(WorkerProcessTest, AWorkerThatSaysNothingIsGivenUp) {
  command_.start_timeout_s = kShort_s;
  EXPECT_HAS(start_error("no hello"), "it said nothing within 0.15 s");
}

TEST_F(WorkerProcessTest, AFirstLineThatIsNoHelloIsQuoted) {
  EXPECT_HAS(start_error("garbage"), "Welcome!");
}

TEST_F(WorkerProcessTest, AnotherProtocolIsRefusedForGoodInOneSentence) {
  EXPECT_HAS(start_error("newer"),
             "did not start: it speaks protocol 99, this plumbline protocol 1; use two of the same "
             "protocol");
  try {
    WorkerProcess worker(command_, {}, nullptr);
    FAIL() << "started";
  } catch (const WorkerStartError& error) {
    EXPECT_TRUE(error.is_lasting());
  }
}

TEST_F(WorkerProcessTest, AProfileThatTheWorkerLacksIsRefused) {
  try {
    WorkerProcess worker(command_, {Profile::trace}, nullptr);
    FAIL() << "started";
  } catch (const WorkerStartError& error) {
    EXPECT_HAS(error.what(), "it has no profile 'trace'");
    EXPECT_TRUE(error.is_lasting());
  }
}

TEST_F(WorkerProcessTest, ASignalEndsAVisitAtOnceAndRecordsNothing) {
  Interrupt interrupt;
  WorkerProcess worker(command_, {}, &interrupt);
  const Case c = make_case("interrupt parent");
  EXPECT_FALSE(worker.measure({c, *c.policy, 0, 1}, kAmple_s));
  EXPECT_EQ(interrupt.signal_number(), SIGINT);
}

TEST_F(WorkerProcessTest, AWorkerThatIsEndedJustBeforeUsIsNoCrash) {
  Interrupt interrupt;
  WorkerProcess worker(command_, {}, &interrupt);
  const Case c = make_case("end before parent");
  EXPECT_FALSE(worker.measure({c, *c.policy, 0, 1}, kAmple_s));
  EXPECT_EQ(interrupt.signal_number(), SIGTERM);
}

TEST_F(WorkerProcessTest, AWorkerThatIsEndedAloneIsACrash) {
  Interrupt interrupt;
  WorkerProcess worker(command_, {}, &interrupt);
  const Case c = make_case("terminated");
  const auto answer = worker.measure({c, *c.policy, 0, 1}, kAmple_s);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, Status::crashed);
  EXPECT_HAS(answer->reason, "SIGTERM");
}

TEST_F(WorkerProcessTest, OneBadCaseOfEachKindHarmsNoOther) {
  std::vector<Case> cases;
  for (const char* what : {"segfault", "exit", "garbage", "half", "killed", "WRONG",
                           "OUT_OF_MEMORY", "CRASHED", "deaf"})
    cases.push_back(make_case(what));
  for (int i = 0; i < 6; ++i) cases.push_back(make_case("ok" + std::to_string(i)));
  std::map<std::string, Status> status;
  ScheduleEvents events;
  events.on_visit = [&](const Case& c, std::span<const ResultRow> rows) {
    status[c.id.substr(c.id.find('=') + 1)] = rows[0].status;
  };
  const Plan plan{cases, 3, {}, "FAKE-0001"};
  run_cases(plan, worker_processes(command_, nullptr), events, nullptr);
  ASSERT_EQ(status.size(), cases.size());
  for (const char* what : {"segfault", "exit", "garbage", "half", "killed", "CRASHED"})
    EXPECT_EQ(status[what], Status::crashed) << what;
  EXPECT_EQ(status["WRONG"], Status::wrong);
  EXPECT_EQ(status["OUT_OF_MEMORY"], Status::out_of_memory);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(status["ok" + std::to_string(i)], Status::ok) << i;
}

}  // namespace
}  // namespace plumbline
