#include "schedule/scheduler.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "unit/schedule/scripted_world.h"

namespace plumbline {
namespace {

std::vector<std::string> ids_in(const std::vector<ResultRow>& rows, std::int64_t round) {
  std::vector<std::string> ids;
  for (const ResultRow& row : rows)
    if (row.round == round && row.part == 1) ids.push_back(row.case_id);
  return ids;
}

TEST(Scheduler, EachRoundIsAFreshWorkerAndAnotherOrderOfAllCases) {
  const auto cases = make_cases(20);
  World world;
  const Outcome outcome = run(world, {cases, 7, {}, "U"});
  EXPECT_EQ(world.started, 3);
  EXPECT_EQ(world.finished, 3);
  EXPECT_EQ(outcome.result.visits, 60u);
  ASSERT_EQ(outcome.rows.size(), 120u);
  auto first = ids_in(outcome.rows, 0), second = ids_in(outcome.rows, 1);
  EXPECT_NE(first, second);
  std::ranges::sort(first);
  std::ranges::sort(second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(outcome.rows[0].worker, "timing-1");
  EXPECT_EQ(outcome.rows[119].worker, "timing-3");
  EXPECT_EQ(outcome.rows[1].part, 2);
  EXPECT_EQ(outcome.rows[1].parts, 2);
  EXPECT_EQ(outcome.rows[2].order, 1);
  EXPECT_EQ(outcome.rows[0].device, "U");
}

TEST(Scheduler, TheOrderFollowsFromTheSeed) {
  const auto cases = make_cases(20);
  EXPECT_EQ(order_of_turn({cases, 1}, {0}), order_of_turn({cases, 1}, {0}));
  EXPECT_NE(order_of_turn({cases, 1}, {0}), order_of_turn({cases, 2}, {0}));
}

TEST(Scheduler, EveryPositionOfACaseIsAboutEquallyLikely) {
  const auto cases = make_cases(4, 4000);
  std::map<std::size_t, int> first;
  for (int round = 0; round < 4000; ++round) ++first[order_of_turn({cases, 1}, {round})[0]];
  for (const auto& [position, count] : first) EXPECT_NEAR(count, 1000, 150) << position;
}

TEST(Scheduler, AFailedCaseIsNotMeasuredAgainAndTheOthersAre) {
  const auto cases = make_cases(5);
  World world;
  world.failing[cases[2].id] = Status::wrong;
  const Outcome outcome = run(world, {cases, 1, {}, "U"});
  EXPECT_EQ(outcome.result.visits, 4u * 3 + 1);
  EXPECT_EQ(world.started, 3) << "a wrong answer does not spoil the worker";
  const auto failed = std::ranges::find(outcome.rows, cases[2].id, &ResultRow::case_id);
  ASSERT_NE(failed, outcome.rows.end());
  EXPECT_EQ(failed->status, Status::wrong);
  EXPECT_EQ(failed->reason, "planted");
  EXPECT_EQ(failed->metric, "");
  EXPECT_EQ(std::ranges::count(outcome.rows, cases[2].id, &ResultRow::case_id), 1);
}

TEST(Scheduler, AfterADeadWorkerTheOtherCasesGoToAFreshOne) {
  const auto cases = make_cases(5, 1);
  World world;
  world.failing[cases[0].id] = Status::crashed;
  world.deadly = {cases[0].id};
  const Outcome outcome = run(world, {cases, 1, {}, "U"});
  EXPECT_EQ(outcome.result.visits, 5u);
  std::size_t ok = 0;
  for (const ResultRow& row : outcome.rows) ok += row.status == Status::ok && row.part == 1;
  EXPECT_EQ(ok, 4u);
  const auto order = order_of_turn({cases, 1}, {0});
  EXPECT_EQ(world.started, order.back() == 0 ? 1 : 2);
}

TEST(Scheduler, AWorkerThatSaysItsMemoryIsFullIsReplaced) {
  const auto cases = make_cases(2, 1);
  const auto order = order_of_turn({cases, 1}, {0});
  World world;
  world.failing[cases[order[0]].id] = Status::out_of_memory;
  EXPECT_EQ(run(world, {cases, 1, {}, "U"}).result.workers, 2u);
}

TEST(Scheduler, AWorkerThatACaseHasChangedIsReplacedAndToldOf) {
  const auto cases = make_cases(3);
  World world;
  world.left_behind[cases[1].id] = "locale: C -> fr_FR";
  const Outcome outcome = run(world, {cases, 1, {}, "U"});
  EXPECT_EQ(world.asked.size(), 9u) << "its results stand";
  // A round in which it is last ends with its worker anyway.
  EXPECT_GT(world.started, 3);
  ASSERT_EQ(outcome.notes.size(), 3u);
  EXPECT_EQ(outcome.notes[0], cases[1].id +
                                  " changed settings of its process (locale: C -> fr_FR); the "
                                  "cases after it get a new worker");
}

TEST(Scheduler, AllRequestsOfARunHaveOneDrawAndAnotherRunHasAnother) {
  const auto cases = make_cases(3);
  World world;
  run(world, {cases, 1, {}, "U"});
  EXPECT_EQ(world.draws.size(), 1u);
  run(world, {cases, 1, {}, "U"});
  EXPECT_EQ(world.draws.size(), 2u);
}

TEST(Scheduler, ExcludedAndUnsupportedCasesGiveOneRowWithoutAWorker) {
  auto cases = make_cases(2, 2);
  cases[0].excluded = "too slow";
  cases[1].unsupported = "no bfloat16";
  World world;
  const Outcome outcome = run(world, {cases, 1, {}, "U"});
  EXPECT_EQ(world.started, 0);
  ASSERT_EQ(outcome.rows.size(), 2u);
  EXPECT_EQ(outcome.rows[0].status, Status::excluded);
  EXPECT_EQ(outcome.rows[0].reason, "too slow");
  EXPECT_EQ(outcome.rows[1].status, Status::unsupported);
  EXPECT_EQ(outcome.rows[1].reason, "no bfloat16");
  EXPECT_EQ(outcome.rows[1].device, "U");
}

TEST(Scheduler, CasesWithFewerRoundsStopEarlier) {
  const std::vector<Case> cases{make_case("a", 1), make_case("b", 3)};
  World world;
  const Outcome outcome = run(world, {cases, 1, {}, "U"});
  EXPECT_EQ(ids_in(outcome.rows, 0).size(), 2u);
  EXPECT_EQ(ids_in(outcome.rows, 2), std::vector<std::string>{cases[1].id});
}

TEST(Scheduler, AResumedRunMeasuresTheRestInTheSameOrder) {
  const auto cases = make_cases(12);
  World whole_world, rest_world;
  const Outcome whole = run(whole_world, {cases, 5, {}, "U"});
  const std::span<const ResultRow> measured(whole.rows.data(), 2 * 17);  // in round 1
  const Outcome rest = run(rest_world, {cases, 5, {}, "U", measured});
  ASSERT_EQ(measured.size() + rest.rows.size(), whole.rows.size());
  for (std::size_t i = 0; i < rest.rows.size(); ++i) {
    EXPECT_EQ(rest.rows[i].case_id, whole.rows[34 + i].case_id);
    EXPECT_EQ(rest.rows[i].order, whole.rows[34 + i].order);
    EXPECT_EQ(rest.rows[i].round, whole.rows[34 + i].round);
  }
  EXPECT_EQ(rest_world.started, 2);
}

TEST(Scheduler, AResumedRunLeavesFailedCasesAlone) {
  auto cases = make_cases(3);
  World world;
  world.failing[cases[1].id] = Status::wrong;
  const Outcome whole = run(world, {cases, 5, {}, "U"});
  std::vector<ResultRow> first_round;
  for (const ResultRow& row : whole.rows)
    if (row.round == 0) first_round.push_back(row);
  World again;
  const Outcome rest = run(again, {cases, 5, {}, "U", first_round});
  EXPECT_EQ(std::ranges::count(rest.rows, cases[1].id, &ResultRow::case_id), 0);
  EXPECT_EQ(rest.result.visits, 4u);
}

TEST(Scheduler, AnInterruptedCaseIsNotRecorded) {
  const auto cases = make_cases(6, 2);
  World world;
  world.interrupted_at = cases[order_of_turn({cases, 1}, {0})[3]].id;
  const Outcome outcome = run(world, {cases, 1, {}, "U"});
  EXPECT_TRUE(outcome.result.interrupted);
  EXPECT_EQ(outcome.result.visits, 3u);
  EXPECT_EQ(outcome.rows.size(), 6u);
}

TEST(Scheduler, ASignalBetweenTwoCasesStopsTheRun) {
  const auto cases = make_cases(6, 2);
  Interrupt interrupt;
  World world;
  ScheduleEvents events;
  std::size_t visits = 0;
  events.on_visit = [&](const Case&, auto) {
    if (++visits == 2) raise(SIGTERM);
  };
  const ScheduleResult result = run_cases({cases, 1, {}, "U"}, world.factory(), events, &interrupt);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(visits, 2u);
  EXPECT_EQ(interrupt.signal_number(), SIGTERM);
}

TEST(Scheduler, AWorkerMayFailToStartTwice) {
  const auto cases = make_cases(2, 1);
  World world;
  world.failed_starts = 2;
  const Outcome outcome = run(world, {cases, 1, {}, "U"});
  EXPECT_EQ(outcome.result.visits, 2u);
  EXPECT_EQ(outcome.notes.size(), 2u);
}

TEST(Scheduler, AWorkerThatNeverStartsEndsTheRunWithItsOutput) {
  const auto cases = make_cases(2, 1);
  World world;
  world.failed_starts = 99;
  try {
    run(world, {cases, 1, {}, "U"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("libcudnn.so.9 not found"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("3 times in a row"), std::string::npos);
  }
  EXPECT_EQ(world.failed_starts, 96);
}

TEST(Scheduler, AWorkerOnAnotherDeviceIsAnError) {
  const auto cases = make_cases(1, 1);
  World world;
  world.uuid = "V";
  EXPECT_THROW(run(world, {cases, 1, {}, "U"}), Error);
}

TEST(Scheduler, AnAnswerThatContradictsItselfIsACrash) {
  const auto cases = make_cases(1, 1);
  World world;
  world.failing[cases[0].id] = Status::ok;  // OK without samples
  const Outcome outcome = run(world, {cases, 1, {}, "U"});
  ASSERT_EQ(outcome.rows.size(), 1u);
  EXPECT_EQ(outcome.rows[0].status, Status::crashed);
  EXPECT_EQ(outcome.rows[0].reason, "the worker answered OK without a metric");
}

TEST(Scheduler, ProgressCountsWhatIsLeftToMeasure) {
  const auto cases = make_cases(3);
  World world;
  world.failing[cases[0].id] = Status::wrong;
  ScheduleEvents events;
  std::vector<Progress> seen;
  events.on_visit = [](const Case&, auto) {};
  events.on_progress = [&](const Case&, const Progress& progress) { seen.push_back(progress); };
  run_cases({cases, 1, {}, "U"}, world.factory(), events, nullptr);
  ASSERT_EQ(seen.size(), 7u);
  EXPECT_EQ(seen.front().planned, 9u);
  EXPECT_TRUE(std::isnan(seen.front().remaining_s));
  EXPECT_EQ(seen.back().planned, 7u);
  EXPECT_EQ(seen.back().finished, 6u);
  EXPECT_GE(seen.back().remaining_s, 0);
}

TEST(Scheduler, WhatIsLeftHoldsTheStartsOfWorkersToCome) {
  const auto cases = make_cases(2, 3);
  World world;
  const WorkerFactory quick = world.factory();
  const WorkerFactory slow = [&](WorkerKind kind) {
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    return quick(kind);
  };
  ScheduleEvents events;
  std::vector<Progress> seen;
  events.on_visit = [](const Case&, auto) {};
  events.on_progress = [&](const Case&, const Progress& progress) { seen.push_back(progress); };
  run_cases({cases, 1, {}, "U"}, slow, events, nullptr);
  ASSERT_EQ(seen.size(), 6u);
  EXPECT_GE(seen[1].remaining_s, 0.08);  // two more rounds
  EXPECT_GE(seen[3].remaining_s, 0.04);
  EXPECT_LT(seen[5].remaining_s, 0.04);  // a visit takes almost no time
}

TEST(Scheduler, AWorkerIsRecordedAtItsStartAndAgainWithWhatItMeasuredLast) {
  const auto cases = make_cases(2, 2);
  World world;
  world.end = {"ended badly", {{"spin", 2e-3}}};
  const Outcome outcome = run(world, {cases, 1, {}, "U"});
  ASSERT_EQ(outcome.workers.size(), 4u);
  EXPECT_EQ(outcome.workers[2].name, "timing-2");
  EXPECT_EQ(outcome.workers[2].round, 1);
  EXPECT_EQ(outcome.workers[2].calibration.at("event_floor_s"), 3e-6);
  EXPECT_EQ(outcome.workers[2].sentinel_before.at("spin"), 1e-3);
  EXPECT_TRUE(outcome.workers[2].sentinel_after.empty());
  EXPECT_EQ(outcome.workers[3].name, "timing-2");
  EXPECT_EQ(outcome.workers[3].started_at, outcome.workers[2].started_at);
  EXPECT_EQ(outcome.workers[3].started_at.size(), std::string("2024-02-29T12:00:00Z").size());
  EXPECT_EQ(outcome.workers[3].sentinel_after.at("spin"), 2e-3);
  EXPECT_EQ(outcome.notes, (std::vector<std::string>{"worker timing-1 ended badly",
                                                     "worker timing-2 ended badly"}));
}

TEST(Scheduler, ASentinelThatTookLongerAfterTheCasesThanBeforeThemIsTold) {
  const auto cases = make_cases(2, 1);
  World world;
  world.sentinel = {{"read_s", 61e-6}, {"spin_s", 102e-6}, {"clock_hz", 1.9e9}};
  world.end = {"", {{"read_s", 62e-6}, {"spin_s", 101e-6}, {"clock_hz", 1.2e9}}};
  EXPECT_TRUE(run(world, {cases, 1, {}, "U"}).notes.empty());
  world.end.sentinel["read_s"] = 75e-6;
  const Outcome outcome = run(world, {cases, 1, {}, "U"});
  ASSERT_EQ(outcome.notes.size(), 1u);
  EXPECT_TRUE(outcome.notes[0].starts_with(
      "worker timing-2: the sentinel 'read' took 61.00 µs before its cases and 75.00 µs after "
      "them (+23.0 %); a case, heat or another program changed the device"))
      << outcome.notes[0];
}

TEST(Scheduler, TheTimeOfARunIsSplitAmongProcessesVisitsAndTheirPhases) {
  struct Slow : Worker {
    Hello hello_;
    std::string name_ = "timing-1";
    static void spend(double seconds) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
      while (std::chrono::steady_clock::now() < end) {
      }
    }
    const Hello& hello() const override { return hello_; }
    const std::string& name() const override { return name_; }
    std::optional<MeasureAnswer> measure(const MeasureRequest&, double) override {
      spend(0.004);
      MeasureAnswer answer = good_answer();
      answer.spent_s = {{"launch", 3.0}, {"verify", 1.0}};
      return answer;
    }
    bool usable() const override { return true; }
    WorkerEnd finish() override { return spend(0.008), WorkerEnd{}; }
  };
  const auto cases = make_cases(2, 1);
  const WorkerFactory factory = [](WorkerKind) {
    Slow::spend(0.016);
    return std::make_unique<Slow>();
  };
  ScheduleEvents events;
  events.on_visit = [](const Case&, auto) { Slow::spend(0.002); };
  const ScheduleResult result = run_cases({cases}, factory, events, nullptr);
  EXPECT_GE(result.processes_s, 0.024);
  EXPECT_GE(result.visits_s, 0.008);
  EXPECT_GE(result.wall_s - result.processes_s - result.visits_s, 0.004);
  EXPECT_EQ(result.spent_s.at("launch"), 6.0);
  EXPECT_EQ(result.spent_s.at("verify"), 2.0);
}

TEST(Scheduler, EndsWhereTheWorkerIsReplacedAndKeepsWhatWasMeasured) {
  const auto cases = make_cases(3);
  Plan plan{cases, 1, {}, "U"};
  plan.worker_hash = "aaaa";
  World world;
  world.hash = "aaaa";
  world.later_hash = "bbbb";
  std::size_t rows = 0;
  ScheduleEvents events;
  events.on_visit = [&](const Case&, std::span<const ResultRow>) { ++rows; };
  try {
    run_cases(plan, world.factory(), events, nullptr);
    FAIL() << "two workers measured one run";
  } catch (const WorkerReplaced& error) {
    EXPECT_NE(std::string(error.what()).find("its hash was aaaa and is bbbb"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(rows, 3u) << "the first round";
  EXPECT_EQ(world.finished, 1);
}

}  // namespace
}  // namespace plumbline
