#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "schedule/scheduler.h"
#include "unit/schedule/scripted_world.h"

namespace plumbline {
namespace {

std::vector<Case> make_profiled_cases(int count, std::vector<std::string> metrics,
                                      std::int64_t rounds = 2) {
  auto cases = make_cases(count, rounds);
  for (Case& c : cases) {
    auto policy = std::make_shared<Policy>(*c.policy);
    policy->metrics = metrics;
    c.policy = policy;
  }
  return cases;
}

Plan on_gpu(const std::vector<Case>& cases, std::span<const ResultRow> measured = {}) {
  return {cases, 1, {}, "U", measured, "cuda"};
}

/// Profile of the worker that measured a row.
std::string profile_of(const ResultRow& row) { return row.worker.substr(0, row.worker.find('-')); }

/// "timing trace timing": the profiles of the visits in order; repeated ones in a row appear once.
std::string turns_of(const std::vector<ResultRow>& rows) {
  std::string turns, last;
  for (const ResultRow& row : rows) {
    const std::string profile = std::to_string(row.round) + profile_of(row);
    if (profile != last) turns += (turns.empty() ? "" : " ") + profile;
    last = profile;
  }
  return turns;
}

TEST(SchedulerProfiles, ARoundIsAFreshWorkerAndAnOwnOrderForEachProfileThatIsNeeded) {
  const auto cases = make_profiled_cases(20, {"memory", "kernel_time", "gpu_time"});
  World world;
  const Outcome outcome = run(world, on_gpu(cases));
  EXPECT_EQ(turns_of(outcome.rows), "0timing 0trace 0stock 1timing 1trace 1stock");
  EXPECT_EQ(world.started, 6);
  EXPECT_EQ(world.finished, 6);
  EXPECT_EQ(outcome.result.visits, 20u * 6);
  std::set<std::vector<std::size_t>> orders;
  for (std::int64_t round = 0; round < 2; ++round)
    for (const WorkerKind kind : kinds_of(on_gpu(cases)))
      orders.insert(order_of_turn(on_gpu(cases), {round, kind}));
  EXPECT_EQ(orders.size(), 6u);
  std::set<std::int64_t> positions;
  for (const ResultRow& row : outcome.rows)
    if (row.round == 1) positions.insert(row.order);
  EXPECT_EQ(positions.size(), 60u) << "the order counts on over the profiles of a round";
  EXPECT_EQ(*positions.rbegin(), 59);
}

TEST(SchedulerProfiles, CasesWithOtherHardwareQueuesHaveWorkersOfTheirOwn) {
  auto cases = make_profiled_cases(4, {"gpu_time"});
  for (const std::size_t i : {1, 3}) cases[i].params["stream.connections"] = std::int64_t{32};
  World world;
  const Outcome outcome = run(world, on_gpu(cases));
  EXPECT_EQ(world.kinds, (std::vector<WorkerKind>{{Profile::timing, 8},
                                                  {Profile::timing, 32},
                                                  {Profile::timing, 8},
                                                  {Profile::timing, 32}}));
  EXPECT_EQ(outcome.result.visits, 4u * 2);
  for (const std::string& visit : world.asked) {
    const bool has_many = visit.starts_with("timing-2 ") || visit.starts_with("timing-4 ");
    const bool wants_many = visit.find(cases[1].id) != std::string::npos ||
                            visit.find(cases[3].id) != std::string::npos;
    EXPECT_EQ(has_many, wants_many) << visit;
  }
  World resumed;
  EXPECT_EQ(run(resumed, on_gpu(cases, outcome.rows)).result.visits, 0u) << "nothing is left";
}

TEST(SchedulerProfiles, FunctionsInPythonHaveWorkersOfTheirOwn) {
  auto cases = make_profiled_cases(3, {"gpu_time"}, 1);
  Declaration declaration;
  declaration.python = PythonCode{"/ops.py", "f", "", {}};
  cases[1].declaration = std::make_shared<const Declaration>(declaration);
  World world;
  run(world, on_gpu(cases));
  EXPECT_EQ(world.kinds,
            (std::vector<WorkerKind>{{Profile::timing, 8, false}, {Profile::timing, 8, true}}));
  for (const std::string& visit : world.asked)
    EXPECT_EQ(visit.starts_with("timing-2 "), visit.find(cases[1].id) != std::string::npos)
        << visit;
}

TEST(SchedulerProfiles, NetworksWithAnAllocatorOfLibTorchHaveWorkersOfTheirOwn) {
  auto cases = make_profiled_cases(4, {"gpu_time"}, 1);
  Declaration declaration;
  declaration.python = PythonCode{"/net.py", "f", "", ModuleCode{}};
  for (Case& c : cases) c.declaration = std::make_shared<const Declaration>(declaration);
  cases[0].params["allocator"] = "arena";
  cases[1].params["allocator"] = "native";
  cases[2].params["allocator"] = "cuda_malloc_async";
  // A function's own axis may have the same name.
  declaration.python->module.reset();
  cases[3].params["allocator"] = "native";
  cases[3].declaration = std::make_shared<const Declaration>(declaration);
  World world;
  run(world, on_gpu(cases));
  EXPECT_EQ(world.kinds, (std::vector<WorkerKind>{
                             {Profile::timing, 8, true},
                             {Profile::timing, 8, true, TensorAllocator::native},
                             {Profile::timing, 8, true, TensorAllocator::cuda_malloc_async}}));
  EXPECT_EQ(world.asked.size(), 4u);
}

TEST(SchedulerProfiles, ACaseGoesOnlyWhereItsMetricsAreMeasured) {
  auto cases = make_profiled_cases(2, {"kernel_time"}, 1);
  cases[1].params["stream.count"] = std::int64_t{4};
  EXPECT_EQ(profiles_of(cases[0], "cuda"), std::vector{Profile::trace});
  EXPECT_EQ(profiles_of(cases[1], "cuda"), (std::vector{Profile::timing, Profile::trace}))
      << "makespan and its like are measured in profile timing";
  cases[1].params["stream.count"] = std::int64_t{1};
  EXPECT_EQ(profiles_of(cases[1], "cuda"), std::vector{Profile::trace}) << "that is the default";
  EXPECT_EQ(profiles_of(cases[0], "cpu"), std::vector{Profile::timing});
}

TEST(SchedulerProfiles, ARunThatStoppedInTheMidstOfAProfileGoesOnThere) {
  const auto cases = make_profiled_cases(10, {"gpu_time", "kernel_time"});
  World whole_world, rest_world;
  const Outcome whole = run(whole_world, on_gpu(cases));
  ASSERT_EQ(whole.rows.size(), 2u * 40);
  const std::span<const ResultRow> measured(whole.rows.data(), 2 * 14);  // in trace of round 0
  const Outcome rest = run(rest_world, on_gpu(cases, measured));
  ASSERT_EQ(rest.rows.size(), whole.rows.size() - measured.size());
  EXPECT_EQ(turns_of(rest.rows), "0trace 1timing 1trace");
  EXPECT_EQ(rest_world.started, 3);
  for (std::size_t i = 0; i < rest.rows.size(); ++i) {
    const ResultRow& then = whole.rows[measured.size() + i];
    EXPECT_EQ(rest.rows[i].case_id, then.case_id);
    EXPECT_EQ(rest.rows[i].order, then.order);
  }
}

TEST(SchedulerProfiles, AResumedRunDoesNotMeasureFunctionsInPythonAgain) {
  auto cases = make_profiled_cases(4, {"gpu_time"});
  Declaration declaration;
  declaration.python = PythonCode{"/ops.py", "f", "", {}};
  for (Case& c : cases) c.declaration = std::make_shared<const Declaration>(declaration);
  World whole_world, rest_world;
  const Outcome whole = run(whole_world, on_gpu(cases));
  ASSERT_EQ(whole.rows.size(), 2u * 8);
  const std::span<const ResultRow> measured(whole.rows.data(), 2 * 4);  // round 0
  const Outcome rest = run(rest_world, on_gpu(cases, measured));
  EXPECT_EQ(rest.rows.size(), whole.rows.size() - measured.size());
  EXPECT_EQ(turns_of(rest.rows), "1timing");
}

TEST(SchedulerProfiles, WhatOneProfileDoesNotSupportIsStillMeasuredInTheOthers) {
  const auto cases = make_profiled_cases(3, {"gpu_time", "kernel_time"}, 3);
  World world;
  world.failing[cases[1].id] = Status::unsupported;
  const Outcome outcome = run(world, on_gpu(cases));
  EXPECT_EQ(outcome.result.visits, 2u * 2 * 3 + 2);
  World again;  // where it would be supported
  const Outcome rest = run(again, on_gpu(cases, outcome.rows));
  EXPECT_EQ(rest.rows.size(), 0u) << "a resumed run does not try again";
}

TEST(SchedulerProfiles, WhatIsBrokenInOneProfileIsNotMeasuredInAnother) {
  for (const Status status : {Status::wrong, Status::crashed, Status::timeout, Status::throttled,
                              Status::out_of_memory}) {
    const auto cases = make_profiled_cases(3, {"gpu_time", "kernel_time"}, 3);
    World world;
    world.failing[cases[1].id] = status;
    const Outcome outcome = run(world, on_gpu(cases));
    EXPECT_EQ(outcome.result.visits, 2u * 2 * 3 + 1) << name_of(status);
    World again;
    const std::span<const ResultRow> first(outcome.rows.data(), 5);  // timing of round 0
    const Outcome rest = run(again, on_gpu(cases, first));
    EXPECT_EQ(std::ranges::count(rest.rows, cases[1].id, &ResultRow::case_id), 0);
  }
}

TEST(SchedulerProfiles, AnAbsentMetricIsARowOfItsVisitAndDoesNotEndTheCase) {
  const auto cases = make_cases(1, 2);
  World world;
  world.absent[cases[0].id] = {{"peak_memory", "planted"}, {"from_elsewhere", ""}};
  const Outcome outcome = run(world, {cases, 1, {}, "U"});
  ASSERT_EQ(outcome.rows.size(), 8u) << "two visits of four rows";
  const ResultRow& unknown = outcome.rows[2];
  const ResultRow& absent = outcome.rows[3];
  EXPECT_EQ(absent.metric, "peak_memory");
  EXPECT_EQ(absent.unit, "B");
  EXPECT_EQ(absent.status, Status::unsupported);
  EXPECT_EQ(absent.reason, "planted");
  EXPECT_TRUE(absent.samples.empty());
  EXPECT_EQ(absent.part, 4);
  EXPECT_EQ(absent.parts, 4);
  EXPECT_EQ(absent.worker, "timing-1");
  EXPECT_EQ(unknown.unit, "");
  EXPECT_EQ(unknown.reason, "the worker gave no reason");
  EXPECT_EQ(outcome.rows[0].parts, 4);
  World again;
  const std::span<const ResultRow> first(outcome.rows.data(), 4);
  EXPECT_EQ(run(again, {cases, 1, {}, "U", first}).result.visits, 1u)
      << "a resumed run measures the second round";
}

TEST(SchedulerProfiles, AProfileThatIsNotOfferedLeavesItsCasesUnsupportedAndTheRunGoesOn) {
  const auto cases = make_profiled_cases(4, {"gpu_time", "kernel_time", "memory"}, 2);
  World world;
  world.lacking = {Profile::trace};
  const Outcome outcome = run(world, on_gpu(cases));
  EXPECT_EQ(world.attempts, 1) << "once is enough to know";
  ASSERT_EQ(outcome.notes.size(), 1u);
  EXPECT_NE(outcome.notes[0].find("profile trace"), std::string::npos) << outcome.notes[0];
  EXPECT_EQ(outcome.result.visits, 4u * 2 * 2);
  std::vector<ResultRow> refused;
  for (const ResultRow& row : outcome.rows)
    if (profile_of(row) == "trace") refused.push_back(row);
  ASSERT_EQ(refused.size(), 4u) << "a row for each case, in the first round only";
  for (const ResultRow& row : refused) {
    EXPECT_EQ(row.status, Status::unsupported);
    EXPECT_NE(row.reason.find("it has no such profile"), std::string::npos);
    EXPECT_EQ(row.round, 0);
    EXPECT_EQ(row.device, "U");
  }
  World again;  // now it would be offered
  const Outcome rest = run(again, on_gpu(cases, outcome.rows));
  EXPECT_EQ(rest.rows.size(), 0u);
  EXPECT_EQ(again.started, 0);
}

TEST(SchedulerProfiles, AProfileInWhichNoWorkerStartsIsTriedThreeTimesAndLeftOut) {
  const auto cases = make_profiled_cases(2, {"gpu_time", "kernel_time"}, 2);
  World world;
  world.refused = {Profile::timing};  // the first one: only trace can tell that the device works
  const Outcome outcome = run(world, on_gpu(cases));
  EXPECT_EQ(world.attempts, 3);
  EXPECT_EQ(outcome.notes.size(), 1u);
  EXPECT_EQ(outcome.result.visits, 2u * 2);
  std::size_t refused = 0;
  for (const ResultRow& row : outcome.rows) refused += profile_of(row) == "timing";
  EXPECT_EQ(refused, 2u);
}

TEST(SchedulerProfiles, WhereNoProfileWorksTheRunEndsWithTheFirstReason) {
  const auto cases = make_profiled_cases(2, {"gpu_time", "kernel_time"}, 2);
  World world;
  world.refused = {Profile::timing};
  world.lacking = {Profile::trace};
  try {
    run(world, on_gpu(cases));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no CUPTI; tried 3 times"), std::string::npos);
  }
}

TEST(SchedulerProfiles, AProfileThatWorkedBeforeAndNoLongerDoesEndsTheRun) {
  const auto cases = make_profiled_cases(2, {"gpu_time", "kernel_time"}, 2);
  World world;
  const Outcome whole = run(world, on_gpu(cases));
  World broken;
  broken.refused = {Profile::trace};
  const std::span<const ResultRow> first_round(whole.rows.data(), 8);
  EXPECT_THROW(run(broken, on_gpu(cases, first_round)), Error);
}

TEST(SchedulerProfiles, AProfileWhoseCasesHaveNoSamplesHasWorkedBeforeAllTheSame) {
  const auto cases = make_profiled_cases(2, {"gpu_time", "kernel_time"}, 2);
  World world;
  world.lacking = {Profile::trace};
  for (const Case& c : cases) world.failing[c.id] = Status::unsupported;
  const Outcome whole = run(world, on_gpu(cases));
  ASSERT_EQ(whole.rows.size(), 4u) << "two of timing, then two of trace";
  const std::span<const ResultRow> of_timing(whole.rows.data(), 2);
  const Outcome rest = run(world, on_gpu(cases, of_timing));  // it was killed in between
  EXPECT_EQ(rest.rows.size(), 2u);
  const std::span<const ResultRow> of_trace(whole.rows.data() + 2, 2);
  World none;
  none.refused = {Profile::timing};
  EXPECT_THROW(run(none, on_gpu(cases, of_trace)), Error) << "no process has made these rows";
}

TEST(SchedulerProfiles, ProgressCountsTheVisitsOfAllProfiles) {
  const auto cases = make_profiled_cases(3, {"gpu_time", "kernel_time"}, 3);
  World world;
  world.failing[cases[0].id] = Status::unsupported;
  ScheduleEvents events;
  std::vector<Progress> seen;
  events.on_visit = [](const Case&, auto) {};
  events.on_progress = [&](const Case&, const Progress& progress) { seen.push_back(progress); };
  run_cases(on_gpu(cases), world.factory(), events, nullptr);
  EXPECT_EQ(seen.front().planned, 18u);
  ASSERT_EQ(seen.size(), 14u);
  EXPECT_EQ(seen.back().planned, 14u);
  EXPECT_EQ(seen.back().finished, 13u);
}

using Lines = std::vector<std::string>;

TEST(NextWorker, IsToldOfWhenTheLastFourVisitsBegin) {
  const auto cases = make_profiled_cases(6, {"gpu_time", "kernel_time"});
  World world;
  run(world, on_gpu(cases));
  EXPECT_EQ(world.prepared,
            (Lines{"timing-1, after 2 visits: trace", "trace-2, after 8 visits: timing",
                   "timing-3, after 14 visits: trace"}));
}

TEST(NextWorker, IsToldOfAtOnceWhereThereAreFewVisits) {
  const auto cases = make_profiled_cases(2, {"gpu_time"});
  World world;
  run(world, on_gpu(cases));
  EXPECT_EQ(world.prepared, Lines{"timing-1, after 0 visits: timing"});
}

TEST(NextWorker, IsToldOfAgainByTheOneThatReplacesADeadOne) {
  const auto cases = make_profiled_cases(2, {"gpu_time"});
  World world;
  const std::size_t first = order_of_turn(on_gpu(cases), {0, {Profile::timing}}).front();
  world.failing[cases[first].id] = Status::crashed;
  world.deadly = {cases[first].id};
  run(world, on_gpu(cases));
  EXPECT_EQ(world.prepared,
            (Lines{"timing-1, after 0 visits: timing", "timing-2, after 1 visits: timing"}));
}

TEST(NextWorker, IsNotToldOfWhereNothingIsLeftToIt) {
  const auto cases = make_profiled_cases(1, {"gpu_time", "kernel_time"});
  World world;
  ResultRow measured;  // by trace, in both rounds: only timing is left
  measured.suite = cases[0].suite;
  measured.case_id = cases[0].id;
  measured.worker = "trace-9";
  measured.metric = "kernel_time_cold";
  std::vector<ResultRow> rows(2, measured);
  rows[1].round = 1;
  run(world, on_gpu(cases, rows));
  EXPECT_EQ(world.prepared, Lines{"timing-1, after 0 visits: timing"});
}

TEST(NextWorker, IsOfNoProfileThatIsRefused) {
  const auto cases = make_profiled_cases(1, {"gpu_time", "kernel_time"}, 3);
  World world;
  world.lacking = {Profile::trace};
  run(world, on_gpu(cases));
  EXPECT_EQ(world.prepared, (Lines{"timing-1, after 0 visits: trace",  // not known yet
                                   "timing-2, after 1 visits: timing"}));
}

TEST(NextWorker, HasTheNumberOfHardwareQueuesThatItsCasesDeclare) {
  auto cases = make_profiled_cases(2, {"gpu_time"}, 1);
  cases[1].params["stream.connections"] = std::int64_t{32};
  World world;
  std::vector<WorkerKind> told;
  world.on_prepare = [&](WorkerKind kind) { told.push_back(kind); };
  run(world, on_gpu(cases));
  EXPECT_EQ(told, (std::vector<WorkerKind>{{Profile::timing, 32}}));
}

}  // namespace
}  // namespace plumbline
