#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "analysis/fleet/judge.h"
#include "analysis/fleet/kinds.h"
#include "analysis/fleet/texts.h"
#include "support/simulated_fleet.h"

namespace plumbline {
namespace {

constexpr std::size_t kDevices = 32;

/// Scatter of 0.1 % that depends on device, case and night only.
double scatter(std::size_t device, std::size_t night, std::size_t i) {
  std::mt19937_64 random(1000003 * device + 1009 * night + i);
  return std::normal_distribution<double>(0, 0.001)(random);
}

RunInfo info_of(std::size_t device, std::size_t night) {
  SimulatedFleet fleet({});
  return fleet.info(device, night);
}

/// Three families with four cases each. `factor` multiplies the time of a family's cases.
std::vector<CaseSummary> rows_of(std::size_t device, std::size_t night,
                                 const std::map<std::string, double>& factor = {}) {
  std::vector<CaseSummary> rows;
  for (std::size_t i = 0; i < 12; ++i) {
    CaseSummary& row = rows.emplace_back();
    row.suite = "s";
    row.op = "op" + std::to_string(i % 3);
    row.case_id = row.op + "/b/n=" + std::to_string(i);
    row.revision = "1";
    row.device = SimulatedFleet::uuid(device);
    row.metric = "gpu_time_cold";
    row.unit = "s";
    row.rounds = 3;
    row.visit_sd = 0.001;
    row.estimate = 1e-5 * double(i + 1) * std::exp(scatter(device, night, i));
    if (const auto found = factor.find(row.op); found != factor.end())
      row.estimate *= found->second;
  }
  return rows;
}

const FleetUnit& device(const Fleet& fleet, std::size_t i) { return fleet.units.at(i); }

const FleetCell& cell(const Fleet& fleet, std::size_t i, const std::string& family) {
  const FleetUnit& unit = fleet.units.at(i);
  for (std::size_t k = 0; k < unit.cells.size(); ++k)
    if (fleet.family(unit, k) == family) return unit.cells[k];
  throw std::out_of_range(family);
}

std::size_t outside(const Fleet& fleet) {
  return std::size_t(std::ranges::count_if(fleet.units, &FleetUnit::is_outside));
}

TEST(Fleet, NamesTheSlowCardItsFamilyAndByHowMuch) {
  FleetNights nights({});
  for (std::size_t d = 0; d < kDevices; ++d)
    nights.add(info_of(d, 0),
               rows_of(d, 0,
                       d == 9 ? std::map<std::string, double>{{"op1", 1.06}}
                              : std::map<std::string, double>{}),
               "run");
  nights.end_night("2026-01-01");
  const Fleet fleet = judge_fleet(std::move(nights).finish(), {});
  EXPECT_EQ(outside(fleet), 1U);
  EXPECT_TRUE(device(fleet, 9).is_slower());
  const FleetCell& slow = cell(fleet, 9, "op1");
  EXPECT_NEAR(slow.deviation, std::log(1.06), 0.002);
  EXPECT_LT(slow.p, 0.01);
  EXPECT_EQ(slow.since, "2026-01-01");
  EXPECT_FALSE(cell(fleet, 9, "op0").is_outside);
  EXPECT_FALSE(cell(fleet, 9, "all").is_outside) << "the other families are as they should be";
  EXPECT_EQ(fleet_sentence(fleet), "Outside of their class: 1 device slower, of 32 devices.");
  EXPECT_EQ(device(fleet, 9).worst(), &slow);
}

TEST(Fleet, SaysSinceWhenACardIsSlow) {
  FleetNights nights({});
  for (std::size_t night = 0; night < 6; ++night) {
    for (std::size_t d = 0; d < kDevices; ++d)
      nights.add(info_of(d, night),
                 rows_of(d, night,
                         d == 3 && (night == 1 || night >= 4)
                             ? std::map<std::string, double>{{"op0", 1.05}}
                             : std::map<std::string, double>{}),
                 "run");
    nights.end_night("night " + std::to_string(night));
  }
  const Fleet fleet = judge_fleet(std::move(nights).finish(), {});
  const FleetCell& slow = cell(fleet, 3, "op0");
  ASSERT_TRUE(slow.is_outside);
  EXPECT_EQ(slow.since, "night 4") << "night 1 was not of this stretch";
  EXPECT_EQ(slow.nights, 6U);
  EXPECT_EQ(slow.nights_out, 2U);
  EXPECT_NEAR(slow.before, 0, 0.002);
  EXPECT_EQ(outside(fleet), 1U);
}

TEST(Fleet, OneThatIsSlowForItsClassDoesNotMoveIt) {
  FleetNights nights({});
  for (std::size_t d = 0; d < 8; ++d)
    nights.add(info_of(d, 0),
               rows_of(d, 0,
                       d == 0 ? std::map<std::string, double>{{"op0", 3}}
                              : std::map<std::string, double>{}),
               "run");
  nights.end_night("n");
  const Fleet fleet = judge_fleet(std::move(nights).finish(), {});
  EXPECT_TRUE(cell(fleet, 0, "op0").is_outside);
  for (std::size_t d = 1; d < 8; ++d) EXPECT_NEAR(cell(fleet, d, "op0").deviation, 0, 0.003) << d;
}

TEST(Fleet, WhereMoreIsBetterLessIsSlower) {
  FleetNights nights({"rate"});
  for (std::size_t d = 0; d < kDevices; ++d) {
    RunInfo info = info_of(d, 0);
    info.better["rate"] = "more";
    std::vector<CaseSummary> rows = rows_of(
        d, 0,
        d == 2 ? std::map<std::string, double>{{"op2", 0.9}} : std::map<std::string, double>{});
    for (CaseSummary& row : rows) {
      row.metric = "rate";
      row.unit = "1";
    }
    nights.add(info, rows, "run");
  }
  nights.end_night("n");
  const Fleet fleet = judge_fleet(std::move(nights).finish(), {});
  EXPECT_NEAR(cell(fleet, 2, "op2").deviation, -std::log(0.9), 0.003);
  EXPECT_TRUE(device(fleet, 2).is_slower());
}

TEST(Fleet, AMergedRunIsDividedByTheDevicesOfItsRows) {
  FleetNights nights({});
  RunInfo merged = info_of(0, 0);
  merged.environment.device_uuids.clear();
  merged.environment.host.clear();
  std::vector<CaseSummary> rows;
  for (std::size_t d = 0; d < kDevices; ++d) {
    MergedShard& shard = merged.shards.emplace_back();
    shard.device_uuids = {SimulatedFleet::uuid(d)};
    shard.environment = {{"host", "host" + std::to_string(d / 8)},
                         {"driver", d == 5 ? "570" : "580"}};
    for (CaseSummary& row : rows_of(d, 0,
                                    d == 5 ? std::map<std::string, double>{{"op1", 1.1}}
                                           : std::map<std::string, double>{}))
      rows.push_back(row);
  }
  nights.add(merged, rows, "run");
  nights.end_night("n");
  const Fleet fleet = judge_fleet(std::move(nights).finish(), {});
  EXPECT_EQ(fleet.classes[0].devices, kDevices);
  EXPECT_EQ(fleet.classes[0].nodes, 4U);
  EXPECT_TRUE(device(fleet, 5).is_slower());
  EXPECT_EQ(device(fleet, 5).host, "host0");
  EXPECT_EQ(device(fleet, 5).differs, std::vector<std::string>{"driver 570, most have 580"});
}

TEST(Fleet, AWholeNodeThatIsALittleSlowIsFoundAsANode) {
  FleetNights nights({});
  constexpr std::size_t kMany = 96;
  for (std::size_t d = 0; d < kMany; ++d)
    nights.add(
        info_of(d, 0),
        rows_of(d, 0,
                d / 8 == 4
                    ? std::map<std::string, double>{{"op0", 1.012}, {"op1", 1.012}, {"op2", 1.012}}
                    : std::map<std::string, double>{}),
        "run");
  nights.end_night("n");
  const Fleet fleet = judge_fleet(std::move(nights).finish(), {});
  const auto node = std::ranges::find(fleet.units, SimulatedFleet::host(4), &FleetUnit::name);
  ASSERT_NE(node, fleet.units.end());
  EXPECT_TRUE(node->is_node);
  EXPECT_TRUE(node->is_slower());
  EXPECT_EQ(fleet.classes[0].kinds.size(), 1U) << "the cards of one node are no kind";
}

TEST(Fleet, OneSlowCardOfTwoIsNoSlowNode) {
  FleetNights nights({});
  for (std::size_t d = 0; d < 16; ++d) {
    RunInfo info = info_of(d, 0);
    info.environment.host = "host" + std::to_string(d / 2);
    nights.add(info,
               rows_of(d, 0,
                       d == 4 ? std::map<std::string, double>{{"op0", 1.3}}
                              : std::map<std::string, double>{}),
               "run");
  }
  nights.end_night("n");
  const Fleet fleet = judge_fleet(std::move(nights).finish(), {});
  EXPECT_EQ(fleet.classes[0].nodes, 8U);
  EXPECT_EQ(outside(fleet), 1U);
  EXPECT_TRUE(device(fleet, 4).is_slower());
}

TEST(Fleet, TooFewDevicesAreNotJudged) {
  FleetNights nights({});
  for (std::size_t d = 0; d < 3; ++d)
    nights.add(info_of(d, 0),
               rows_of(d, 0,
                       d == 0 ? std::map<std::string, double>{{"op0", 2}}
                              : std::map<std::string, double>{}),
               "run");
  nights.end_night("n");
  const Fleet fleet = judge_fleet(std::move(nights).finish(), {});
  EXPECT_EQ(outside(fleet), 0U);
  EXPECT_NE(fleet.classes[0].not_judged, "");
  EXPECT_EQ(fleet_sentence(fleet), "No device can be judged.");
}

// Six devices that scatter by several percent cannot show one that is 8 % off.
TEST(Fleet, NoDeviceOutsideIsNoGoodNewsWhereOneCouldHardlyBeSeen) {
  const auto judged = [](double noise) {
    FleetNights nights({});
    for (std::size_t d = 0; d < 6; ++d) {
      const double own = 1 + noise * (double(d) - 2.5);
      nights.add(info_of(d, 0), rows_of(d, 0, {{"op0", own}, {"op1", own}, {"op2", own}}), "run");
    }
    nights.end_night("n");
    return judge_fleet(std::move(nights).finish(), {});
  };
  const Fleet wide = judged(0.03), narrow = judged(0);
  EXPECT_EQ(outside(wide), 0U);
  EXPECT_TRUE(wide.classes[0].sees_little());
  const std::string said = fleet_sentence(wide);
  EXPECT_TRUE(said.starts_with("None of 6 devices is outside of its class. But ")) << said;
  EXPECT_NE(said.find("The furthest, " + SimulatedFleet::uuid(0) + ", is −7."), std::string::npos)
      << said;
  EXPECT_FALSE(narrow.classes[0].sees_little());
  EXPECT_EQ(fleet_sentence(narrow), "None of 6 devices is outside of its class.");
}

TEST(Fleet, CasesThatNoOtherDeviceMeasuredSayNothing) {
  FleetNights nights({});
  for (std::size_t d = 0; d < kDevices; ++d) {
    std::vector<CaseSummary> rows = rows_of(d, 0);
    for (CaseSummary& row : rows) row.case_id += "/shard=" + std::to_string(d);
    nights.add(info_of(d, 0), rows, "run");
  }
  nights.end_night("n");
  const Fleet fleet = judge_fleet(std::move(nights).finish(), {});
  EXPECT_NE(fleet.classes[0].not_judged, "");
}

TEST(Fleet, ADeviceThatIsNotThereAnyMoreIsTold) {
  FleetNights nights({});
  for (std::size_t night = 0; night < 2; ++night) {
    for (std::size_t d = 0; d < kDevices; ++d)
      if (night == 0 || d != 7) nights.add(info_of(d, night), rows_of(d, night), "run");
    nights.end_night("night " + std::to_string(night));
  }
  const Fleet fleet = judge_fleet(std::move(nights).finish(), {});
  EXPECT_TRUE(device(fleet, 7).is_stale);
  EXPECT_EQ(device(fleet, 7).night, "night 0");
  EXPECT_FALSE(device(fleet, 8).is_stale);
  EXPECT_EQ(outside_first(fleet), std::vector<std::size_t>{7});
}

TEST(Fleet, EqualCopiesOfARunHaveNoOutlier) {
  FleetNights nights({});
  for (std::size_t d = 0; d < 12; ++d) {
    std::vector<CaseSummary> rows = rows_of(0, 0);
    for (CaseSummary& row : rows) row.device = SimulatedFleet::uuid(d);
    nights.add(info_of(d, 0), rows, "run");
  }
  nights.end_night("n");
  const Fleet fleet = judge_fleet(std::move(nights).finish(), {});
  EXPECT_EQ(outside(fleet), 0U);
  EXPECT_EQ(fleet.classes[0].kinds.size(), 1U);
}

TEST(Kinds, AreThoseOfManyHostsAndNotOfOne) {
  std::vector<std::vector<double>> values;
  std::vector<std::string> many, one;
  for (std::size_t d = 0; d < 40; ++d) {
    values.push_back({kUnknown, scatter(d, 0, 0) + (d < 10 ? 0.04 : 0), scatter(d, 0, 1)});
    many.push_back("host" + std::to_string(d / 2));
    one.push_back(d < 10 ? "bad" + std::to_string(d / 5) : "host" + std::to_string(d / 2));
  }
  const DeviceKinds kinds = kinds_of(values, many, 0.01);
  EXPECT_EQ(kinds.count, 2U);
  EXPECT_EQ(kinds.family, 1U);
  EXPECT_EQ(kinds.kind[0], 1U) << "the larger one is first";
  EXPECT_EQ(kinds.kind[39], 0U);
  EXPECT_EQ(kinds_of(values, one, 0.01).count, 1U) << "two nodes";
  std::vector<std::string> mixed;
  for (std::size_t d = 0; d < 40; ++d) mixed.push_back("host" + std::to_string(d % 10));
  EXPECT_EQ(kinds_of(values, mixed, 0.01).count, 1U) << "one slow card on each node";
}

}  // namespace
}  // namespace plumbline
