#include "measure/outside_cause.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

DeviceState throttled_by(const char* reasons) {
  DeviceState state;
  state.throttle = reasons;
  return state;
}

TEST(OutsideCause, AnUnknownStateSetsNothingAside) { EXPECT_EQ(outside_cause({}), ""); }

TEST(OutsideCause, EachReasonOfTheMachineHasItsCause) {
  EXPECT_EQ(outside_cause(throttled_by("sw_thermal")), "thermal");
  EXPECT_EQ(outside_cause(throttled_by("hw_thermal")), "thermal");
  EXPECT_EQ(outside_cause(throttled_by("power_brake")), "power brake");
  EXPECT_EQ(outside_cause(throttled_by("hw_slowdown")), "hw slowdown");
}

TEST(OutsideCause, WhatTheCaseDoesToItselfCounts) {
  for (const char* own :
       {"power_cap", "sync_boost", "clock_setting", "power_cap+sync_boost", "display_clock"})
    EXPECT_EQ(outside_cause(throttled_by(own)), "") << own;
}

TEST(OutsideCause, TheReasonBehindAHardwareSlowdownIsTheCause) {
  EXPECT_EQ(outside_cause(throttled_by("hw_slowdown+hw_thermal")), "thermal");
  EXPECT_EQ(outside_cause(throttled_by("hw_slowdown+power_brake")), "power brake");
  EXPECT_EQ(outside_cause(throttled_by("power_cap+hw_slowdown+sync_boost")), "hw slowdown");
}

TEST(OutsideCause, OnlyWholeNamesOfReasonsCount) {
  EXPECT_EQ(outside_cause(throttled_by("no_hw_thermal+hw_thermals")), "");
}

TEST(OutsideCause, WorkOfOthersIsACauseTheirMerePresenceIsNone) {
  DeviceState state;
  state.has_foreign_process = true;
  EXPECT_EQ(outside_cause(state), "");
  state.has_foreign_work = true;
  EXPECT_EQ(outside_cause(state), "foreign work");
  state.throttle = "power_cap+sw_thermal";
  EXPECT_EQ(outside_cause(state), "thermal");
}

}  // namespace
}  // namespace plumbline
