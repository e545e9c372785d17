#include "analysis/fleet/rules.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

/// Four devices on two hosts; the third is 6 % slower in gemm, and sure.
Fleet small_fleet() {
  Fleet fleet;
  FleetClass& whole = fleet.classes.emplace_back();
  whole.name = "NVIDIA H200";
  whole.families = {{.name = kAllFamilies}, {.name = "gemm"}};
  whole.usual = {{"driver", "580"}};
  for (std::size_t i = 0; i < 4; ++i) {
    FleetUnit& unit = fleet.units.emplace_back();
    unit.name = "GPU-" + std::to_string(i);
    unit.host = i < 2 ? "one" : "two";
    unit.cells.resize(2);
    for (FleetCell& cell : unit.cells) cell.deviation = 0.001;
    unit.environment.driver = "580";
    unit.environment.ecc_uncorrected = 0;
    unit.conditions.cases = 10;
  }
  FleetCell& slow = fleet.units[2].cells[1];
  slow.deviation = std::log(1.06);
  slow.is_outside = true;
  return fleet;
}

const FleetFact* fact(std::string_view name) {
  for (const FleetFact& one : fleet_facts())
    if (one.name == name) return &one;
  return nullptr;
}

FleetRuleLine slower(double by, const std::string& family = "*") {
  FleetRuleLine rule;
  rule.at = "rules.yaml:2";
  rule.family = family;
  rule.slower_by = std::log1p(by);
  return rule;
}

FleetRuleLine above(const char* name, double limit) {
  FleetRuleLine rule;
  rule.at = "rules.yaml:3";
  rule.limits = {{fact(name), NumberLimit::Relation::above, limit, "> 0"}};
  return rule;
}

std::vector<std::string> drained(const FleetDecision& decision) {
  std::vector<std::string> hosts;
  for (const DrainedNode& node : decision.drained) hosts.push_back(node.host);
  return hosts;
}

TEST(FleetRules, DrainTheHostOfASlowDeviceAndSayWhy) {
  const FleetDecision decision = decide(small_fleet(), {slower(0.05)});
  ASSERT_EQ(drained(decision), std::vector<std::string>{"two"});
  EXPECT_EQ(decision.drained[0].reasons, std::vector<std::string>{"GPU-2: gemm +6.0 %"});
  EXPECT_TRUE(decision.unknown.empty());
  EXPECT_FALSE(decision.is_clean());
}

TEST(FleetRules, LookOnlyAtTheirFamilyClassAndSize) {
  EXPECT_TRUE(decide(small_fleet(), {slower(0.07)}).is_clean());
  EXPECT_TRUE(drained(decide(small_fleet(), {slower(0.05, "softmax")})).empty());
  EXPECT_FALSE(decide(small_fleet(), {slower(0.05, "ge*")}).is_clean());
  FleetRuleLine other = slower(0.05);
  other.device_class = "NVIDIA H100*";
  const FleetDecision decision = decide(small_fleet(), {other});
  EXPECT_TRUE(decision.drained.empty());
  EXPECT_EQ(decision.unknown.size(), 1U) << "a rule for no device is a mistake worth telling";
}

TEST(FleetRules, ADeviationThatMayBeChanceIsUnknownAndNotNo) {
  Fleet fleet = small_fleet();
  fleet.units[2].cells[1].is_outside = false;
  const FleetDecision decision = decide(fleet, {slower(0.05)});
  EXPECT_TRUE(decision.drained.empty());
  ASSERT_EQ(decision.unknown.size(), 1U);
  EXPECT_EQ(decision.unknown[0],
            "rules.yaml:2 (any family slower by 5 %), 1 device: 5 % or more "
            "slower in gemm, but that may be chance");
}

TEST(FleetRules, WhatWasNotRecordedIsUnknownUnlessTheRuleIgnoresIt) {
  Fleet fleet = small_fleet();
  fleet.units[0].environment.ecc_uncorrected = 2;
  fleet.units[1].environment.ecc_uncorrected.reset();
  FleetDecision decision = decide(fleet, {above("ecc_uncorrected", 0)});
  EXPECT_EQ(drained(decision), std::vector<std::string>{"one"});
  EXPECT_EQ(decision.drained[0].reasons,
            std::vector<std::string>{"GPU-0: ecc_uncorrected 2, limit > 0"});
  EXPECT_EQ(decision.unknown.size(), 1U);
  FleetRuleLine rule = above("ecc_uncorrected", 0);
  rule.ignores_unknown = true;
  decision = decide(fleet, {rule});
  EXPECT_TRUE(decision.unknown.empty());
}

TEST(FleetRules, AllConditionsOfARuleMustHold) {
  Fleet fleet = small_fleet();
  FleetRuleLine both = slower(0.05);
  both.limits = above("ecc_uncorrected", 0).limits;
  EXPECT_TRUE(decide(fleet, {both}).is_clean());
  fleet.units[2].environment.ecc_uncorrected = 1;
  EXPECT_EQ(drained(decide(fleet, {both})), std::vector<std::string>{"two"});
  fleet.units[2].environment.ecc_uncorrected.reset();
  EXPECT_EQ(decide(fleet, {both}).unknown.size(), 1U);
}

TEST(FleetRules, WatchingDrainsNothing) {
  FleetRuleLine rule = slower(0.05);
  rule.action = FleetAction::watch;
  const FleetDecision decision = decide(small_fleet(), {rule});
  EXPECT_EQ(decision.hits.size(), 1U);
  EXPECT_TRUE(decision.is_clean());
}

TEST(FleetRules, ADriverUnlikeMostAndAMissingDeviceAreFound) {
  Fleet fleet = small_fleet();
  fleet.units[0].environment.driver = "570";
  fleet.units[3].is_stale = true;
  FleetRuleLine driver, missing;
  driver.differs = environment_field("driver");
  missing.not_measured = true;
  const FleetDecision decision = decide(fleet, {driver, missing});
  EXPECT_EQ(drained(decision), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(decision.drained[0].reasons[0], "GPU-0: driver 570, most have 580");
}

TEST(FleetRules, CommandsAreQuotedAndHoldOneLine) {
  const std::string command =
      drain_command({"node; rm -rf /", {"GPU-1: a 'quoted'\nreason $(reboot)"}});
  EXPECT_EQ(command.find('\n'), std::string::npos);
  EXPECT_TRUE(command.starts_with("scontrol update 'NodeName=node; rm -rf /' State=DRAIN '"))
      << command;
}

TEST(FleetRules, AHostThatIsNotKnownCannotBeDrained) {
  Fleet fleet = small_fleet();
  for (FleetUnit& unit : fleet.units) unit.host.clear();
  const FleetDecision decision = decide(fleet, {slower(0.05)});
  EXPECT_TRUE(decision.drained.empty());
  EXPECT_EQ(decision.unknown.size(), 1U);
}

}  // namespace
}  // namespace plumbline
