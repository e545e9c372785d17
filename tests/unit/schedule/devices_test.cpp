#include "schedule/devices.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "core/error.h"
#include "unit/schedule/scripted_world.h"

namespace plumbline {
namespace {

/// Two devices, U and V, each with its own world.
struct TwoDevices {
  World u, v;
  std::vector<RunDevice> devices() {
    v.uuid = "V";
    return {{"cuda:0", "U", u.factory()}, {"cuda:1", "V", v.factory()}};
  }

  Outcome run(const Plan& plan, Interrupt* interrupt = nullptr) {
    Outcome outcome;
    events.on_visit = [&](const Case&, std::span<const ResultRow> rows) {
      outcome.rows.insert(outcome.rows.end(), rows.begin(), rows.end());
    };
    events.on_note = [&](const std::string& note) { notes.push_back(note); };
    outcome.result = run_on_devices(plan, devices(), events, interrupt);
    return outcome;
  }

  ScheduleEvents events;
  std::vector<std::string> notes;
};

Plan on_gpus(const std::vector<Case>& cases, std::span<const ResultRow> measured = {}) {
  return {cases, 1, {}, "", measured, "cuda"};
}

/// case id -> devices that measured it.
std::map<std::string, std::set<std::string>> devices_of(const std::vector<ResultRow>& rows) {
  std::map<std::string, std::set<std::string>> found;
  for (const ResultRow& row : rows) found[row.case_id].insert(row.device);
  return found;
}

TEST(Devices, EachCaseIsMeasuredOnOneDeviceInAllRoundsAndProfiles) {
  const auto cases = make_cases(30);  // gpu_time and kernel_time: two profiles
  TwoDevices two;
  const Outcome outcome = two.run(on_gpus(cases));
  EXPECT_EQ(outcome.result.visits, 30u * 3 * 2);
  EXPECT_EQ(outcome.result.devices, 2u);
  EXPECT_EQ(outcome.result.workers, 12u);
  EXPECT_EQ(outcome.rows.size(), 2u * 30 * 3 * 2);
  std::map<std::string, std::size_t> cases_of;
  for (const auto& [id, devices] : devices_of(outcome.rows)) {
    EXPECT_EQ(devices.size(), 1u) << id;
    ++cases_of[*devices.begin()];
  }
  EXPECT_EQ(cases_of["U"], 15u);
  EXPECT_EQ(cases_of["V"], 15u);
}

TEST(Devices, TheShareOfADeviceIsOfVisitsAndOneCaseMoreMovesFewOthers) {
  auto cases = make_cases(40, 1);
  for (int i = 0; i < 10; ++i) cases.push_back(make_case("long" + std::to_string(i), 9));
  const auto device_of = spread_cases(on_gpus(cases), 3);
  std::array<std::int64_t, 3> visits{};
  for (std::size_t i = 0; i < cases.size(); ++i) visits[device_of[i]] += cases[i].policy->rounds;
  for (const std::int64_t count : visits) EXPECT_NEAR(double(count), 130 / 3., 9);
  cases.insert(cases.begin(), make_case("added", 1));
  const auto then = spread_cases(on_gpus(cases), 3);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < device_of.size(); ++i) moved += device_of[i] != then[i + 1];
  EXPECT_LE(moved, 2u);
}

TEST(Devices, ACaseGoesBackToTheDeviceThatMeasuredIt) {
  const auto cases = make_cases(12);
  Plan plan = on_gpus(cases);
  std::map<std::string, std::string> expected;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string home = i % 3 == 0 ? "V" : i % 3 == 1 ? "U" : "gone";
    plan.homes[{cases[i].suite, cases[i].id}] = home;
    if (home != "gone") expected[cases[i].id] = home;
  }
  TwoDevices two;
  const Outcome outcome = two.run(plan);
  const auto device_of = devices_of(outcome.rows);
  EXPECT_EQ(device_of.size(), 12u);
  for (const auto& [id, home] : expected)
    EXPECT_EQ(device_of.at(id), std::set<std::string>{home}) << id;
}

TEST(Devices, CasesOfSeveralRanksFollowOnTheFirstDeviceWhileNothingElseRuns) {
  auto cases = make_cases(12);
  for (const std::size_t i : {1, 5, 8}) cases[i].params["ranks"] = std::int64_t{2};
  TwoDevices two;
  std::vector<std::string> order;
  two.events.on_progress = [&](const Case& c, const Progress&) { order.push_back(c.id); };
  const Outcome outcome = two.run(on_gpus(cases));
  EXPECT_EQ(outcome.result.visits, 12u * 3 * 2);
  const auto device_of = devices_of(outcome.rows);
  const std::set<std::string> of_all{cases[1].id, cases[5].id, cases[8].id};
  for (const std::string& id : of_all) EXPECT_EQ(device_of.at(id), std::set<std::string>{"U"});
  EXPECT_EQ(two.u.asked.size() + two.v.asked.size(), 12u * 3 * 2);
  const auto first =
      std::ranges::find_if(order, [&](const auto& id) { return of_all.contains(id); });
  EXPECT_TRUE(std::all_of(first, order.end(), [&](const auto& id) { return of_all.contains(id); }));
}

TEST(Devices, AWorkerThatDiesOnOneDeviceDoesNotHurtTheOther) {
  const auto cases = make_cases(12);
  TwoDevices two;
  const auto device_of = spread_cases(on_gpus(cases), 2);
  std::size_t deaths = 0;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (device_of[i] == 1 && ++deaths) {
      two.v.failing[cases[i].id] = Status::crashed;
      two.v.deadly.insert(cases[i].id);
    }
  ASSERT_EQ(deaths, 6u);
  const Outcome outcome = two.run(on_gpus(cases));
  EXPECT_EQ(two.v.asked.size(), 6u) << "each once";
  EXPECT_EQ(two.u.asked.size(), 6u * 3 * 2);
  EXPECT_EQ(two.u.started, 6);
  for (const ResultRow& row : outcome.rows)
    EXPECT_EQ(row.status, row.device == "U" ? Status::ok : Status::crashed);
}

TEST(Devices, ADeviceThatCannotBeUsedEndsTheRunOnlyOnceTheOtherIsThrough) {
  const auto cases = make_cases(12);
  TwoDevices two;
  two.v.failed_starts = 1000;
  std::size_t visits = 0;
  two.events.on_progress = [&](const Case&, const Progress&) { ++visits; };
  try {
    two.run(on_gpus(cases));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 8), "cuda:1: ");
    EXPECT_NE(std::string(error.what()).find("libcudnn.so.9"), std::string::npos);
  }
  EXPECT_EQ(visits, 6u * 3 * 2);
  ASSERT_FALSE(two.notes.empty());
  EXPECT_EQ(two.notes.back().substr(0, 8), "cuda:1: ");
}

TEST(Devices, AWorkerOnTheOtherDeviceIsAnError) {
  const auto cases = make_cases(4, 1);
  TwoDevices two;
  auto devices = two.devices();
  two.v.uuid = "U";
  EXPECT_THROW(run_on_devices(on_gpus(cases), devices, {[](const Case&, auto) {}}, nullptr), Error);
}

TEST(Devices, WhatCannotBeKeptEndsTheRunOnAllDevices) {
  const auto cases = make_cases(200);
  TwoDevices two;
  std::size_t visits = 0;
  ScheduleEvents events;
  events.on_visit = [&](const Case&, auto) {
    if (++visits >= 5) throw Error("the disk is full");
  };
  try {
    run_on_devices(on_gpus(cases), two.devices(), events, nullptr);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the disk is full");
  }
  EXPECT_EQ(visits, 5u) << "nothing is handed over after that";
}

TEST(Devices, ASignalEndsTheRunOnAllDevices) {
  const auto cases = make_cases(200);
  Interrupt interrupt;
  TwoDevices two;
  std::size_t begun = 0;
  two.events.on_progress = [&](const Case&, const Progress&) {
    if (++begun == 5) kill(getpid(), SIGTERM);
  };
  const Outcome outcome = two.run(on_gpus(cases), &interrupt);
  EXPECT_TRUE(outcome.result.interrupted);
  EXPECT_LT(outcome.result.visits, 8u);
  EXPECT_EQ(interrupt.signal_number(), SIGTERM);
}

TEST(Devices, AResumedRunLeavesEachCaseOnItsDevice) {
  const auto cases = make_cases(20);
  TwoDevices whole_two;
  const Outcome whole = whole_two.run(on_gpus(cases));
  std::vector<ResultRow> measured;
  for (const ResultRow& row : whole.rows)
    if (row.round == 0 || (row.device == "U" && row.round == 1)) measured.push_back(row);
  TwoDevices rest_two;
  const Outcome rest = rest_two.run(on_gpus(cases, measured));
  EXPECT_EQ(rest.rows.size() + measured.size(), whole.rows.size());
  measured.insert(measured.end(), rest.rows.begin(), rest.rows.end());
  EXPECT_EQ(devices_of(measured), devices_of(whole.rows));
  for (const auto& [id, devices] : devices_of(measured)) EXPECT_EQ(devices.size(), 1u) << id;
}

TEST(Devices, ProgressIsThatOfAllDevices) {
  const auto cases = make_cases(10, 2);
  TwoDevices two;
  std::vector<Progress> seen;
  two.events.on_progress = [&](const Case&, const Progress& progress) { seen.push_back(progress); };
  two.run(on_gpus(cases));
  ASSERT_EQ(seen.size(), 40u);
  EXPECT_EQ(seen.front().planned, 40u) << "the one that has not begun counts, too";
  EXPECT_EQ(seen.front().finished, 0u);
  EXPECT_GE(seen.back().finished, 38u);
  EXPECT_EQ(seen.back().round, 1);
  EXPECT_TRUE(std::ranges::is_sorted(seen, {}, &Progress::round));
}

TEST(Devices, TheRoundIsThatOfTheSlowestDevice) {
  const auto cases = make_cases(10, 2);
  TwoDevices whole_two;
  std::vector<ResultRow> measured;
  std::set<std::string> of_v;
  for (const ResultRow& row : whole_two.run(on_gpus(cases)).rows)
    if (row.device == "V" && row.round == 0) {
      measured.push_back(row);
      of_v.insert(row.case_id);
    }
  TwoDevices two;
  std::atomic<bool> v_is_ahead = false;
  std::size_t begun_by_u = 0;
  std::vector<std::int64_t> rounds;
  ScheduleEvents events;
  events.on_visit = [](const Case&, auto) {};
  events.on_progress = [&](const Case& c, const Progress& progress) {
    if (of_v.contains(c.id))
      v_is_ahead = true;
    else if (++begun_by_u <= 10)  // five cases in two profiles
      rounds.push_back(progress.round);
  };
  auto devices = two.devices();
  devices[0].factory = [&](WorkerKind kind) {
    while (!v_is_ahead) std::this_thread::yield();
    return two.u.factory()(kind);
  };
  run_on_devices(on_gpus(cases, measured), devices, events, nullptr);
  EXPECT_EQ(rounds, std::vector<std::int64_t>(10, 0));
}

TEST(Devices, ASingleDeviceIsUsedAsEver) {
  const auto cases = make_cases(8);
  World alone, one;
  const Outcome expected = run(alone, {cases, 1, {}, "U"});
  Outcome outcome;
  ScheduleEvents events;
  events.on_visit = [&](const Case&, std::span<const ResultRow> rows) {
    outcome.rows.insert(outcome.rows.end(), rows.begin(), rows.end());
  };
  const std::vector<RunDevice> devices{{"cpu", "U", one.factory()}};
  outcome.result = run_on_devices({cases}, devices, events, nullptr);
  EXPECT_EQ(one.asked, alone.asked);
  EXPECT_EQ(outcome.rows.size(), expected.rows.size());
  EXPECT_EQ(outcome.result.devices, 1u);
}

}  // namespace
}  // namespace plumbline
