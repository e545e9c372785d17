#include "analysis/history/regressions.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/synthetic_run.h"
#include "unit/analysis/past_nights.h"

namespace plumbline {
namespace {

/// Nights of one case, `factor(night)` times 100 µs with 0.2 % of noise, and the decisions about
/// them.
class CaseOverNights {
 public:
  CaseOverNights(int count, const std::function<double(int)>& factor) {
    SyntheticNoise noise(5);
    summaries_ = nights(count, 1, [&](int, int night) {
      return 1e-4 * (1 + 0.002 * noise.normal()) * factor(night);
    });
    verdicts_.resize(std::size_t(count));
  }

  CaseOverNights& say(std::size_t night, std::string_view verdict) {
    verdicts_[night] = verdict;
    return *this;
  }
  CaseOverNights& measure_on(std::size_t from, const std::string& device) {
    for (std::size_t night = from; night < summaries_.size(); ++night)
      summaries_[night].run.device_uuid = device;
    return *this;
  }
  CaseOverNights& measure_metric(const std::string& metric, const std::string& unit) {
    for (RunSummary& summary : summaries_) {
      summary.rows[0].metric = metric;
      summary.rows[0].unit = unit;
    }
    return *this;
  }
  std::string started_at(std::size_t night) const { return summaries_[night].run.started_at; }

  std::vector<Regression> regressions(const Decisions& decisions = {}) const {
    const History history = make_history(summaries_);
    const SeriesReading reading = read_series(history, history.series[0], {});
    return regressions_of(history.runs, history.series[0], reading, verdicts_, decisions);
  }
  /// The single regression; any other number fails the test.
  Regression regression(const Decisions& decisions = {}) const {
    const std::vector<Regression> found = regressions(decisions);
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? Regression{} : found[0];
  }

 private:
  std::vector<RunSummary> summaries_;
  std::vector<std::string_view> verdicts_;
};

double slow_from_12(int night) { return night < 12 ? 1 : 1.15; }
double slow_from_12_to_17(int night) { return night < 12 || night >= 18 ? 1 : 1.15; }

LedgerEntry acknowledgement() {
  LedgerEntry entry;
  entry.case_id = "op/libtorch/n=0";
  entry.author = "Ada";
  entry.reason = "it checks its bounds now";
  return entry;
}

TEST(Regressions, AStepThatStaysIsOpenWhateverIsSaidOfLaterNights) {
  CaseOverNights nights(20, slow_from_12);
  nights.say(12, "SLOWER").say(13, "SAME").say(14, "FASTER").say(19, "SAME");
  const Regression found = nights.regression();
  EXPECT_EQ(found.state(), RegressionState::open);
  EXPECT_EQ(found.kind, RegressionKind::step);
  EXPECT_EQ(found.from, 12U);
  EXPECT_NEAR(found.change, 0.15, 0.01);
  EXPECT_NEAR(found.before, 1e-4, 1e-6);
  EXPECT_NEAR(found.after, 1.15e-4, 1e-6);
}

TEST(Regressions, OneThatGoesBackIsFixedByThatRun) {
  const Regression found = CaseOverNights(26, slow_from_12_to_17).regression();
  EXPECT_EQ(found.state(), RegressionState::fixed);
  EXPECT_EQ(found.from, 12U);
  EXPECT_EQ(found.back, 18U);
  EXPECT_NEAR(found.change, 0.15, 0.01);
}

TEST(Regressions, OneThatGoesHalfwayBackStaysOpenWithWhatIsLeft) {
  const auto half_back = [](int night) { return night < 10 ? 1 : night < 20 ? 1.16 : 1.08; };
  const Regression found = CaseOverNights(30, half_back).regression();
  EXPECT_EQ(found.state(), RegressionState::open);
  EXPECT_EQ(found.from, 10U);
  EXPECT_NEAR(found.change, 0.08, 0.01);
}

TEST(Regressions, OfTwoStepsTheOneThatIsTakenBackIsFixed) {
  const auto levels = [](int night) {
    return night < 10 ? 1 : night < 20 ? 1.05 : night < 30 ? 1.13 : 1.05;
  };
  const auto found = CaseOverNights(40, levels).regressions();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].state(), RegressionState::open);
  EXPECT_EQ(found[0].from, 10U);
  EXPECT_EQ(found[1].back, 30U);
}

TEST(Regressions, AnImprovementIsNone) {
  EXPECT_TRUE(
      CaseOverNights(24, [](int night) { return night < 12 ? 1 : 0.9; }).regressions().empty());
}

TEST(Regressions, AThroughputThatFallsIsOneAndARisingOneIsNot) {
  const auto falls = [](int night) { return night < 12 ? 1 : 0.9; };
  const Regression found = CaseOverNights(24, falls).measure_metric("speedup", "1").regression();
  EXPECT_EQ(found.state(), RegressionState::open);
  EXPECT_NEAR(found.change, -0.1, 0.01);
  EXPECT_TRUE(
      CaseOverNights(24, slow_from_12).measure_metric("speedup", "1").regressions().empty());
}

TEST(Regressions, AStepOfAnotherDeviceIsNoCommits) {
  EXPECT_TRUE(CaseOverNights(24, slow_from_12).measure_on(12, "GPU-b").regressions().empty());
}

TEST(Regressions, ADeviceThatIsFasterFixesNothing) {
  const auto levels = [](int night) { return night < 10 ? 1 : night < 20 ? 1.08 : 0.98; };
  const Regression found = CaseOverNights(30, levels).measure_on(20, "GPU-b").regression();
  EXPECT_EQ(found.state(), RegressionState::open);
  EXPECT_EQ(found.from, 10U);
  EXPECT_NEAR(found.change, 0.08, 0.01);
}

TEST(Regressions, ADriftIsOneThatNoCommitBegan) {
  const Regression found =
      CaseOverNights(40, [](int night) { return 1 + 0.002 * night; }).regression();
  EXPECT_EQ(found.kind, RegressionKind::drift);
  EXPECT_EQ(found.state(), RegressionState::open);
  EXPECT_NEAR(found.change, 0.078, 0.01);
  EXPECT_TRUE(
      CaseOverNights(40, [](int night) { return 1.1 - 0.002 * night; }).regressions().empty());
}

TEST(Regressions, WhatWasConfirmedIsOneBeforeAStepCanBePlaced) {
  const auto slow = [](int night) { return night < 3 ? 1 : 1.15; };
  CaseOverNights nights(4, slow);
  EXPECT_TRUE(nights.regressions().empty());
  const Regression found = nights.say(3, "SLOWER").regression();
  EXPECT_EQ(found.from, 3U);
  EXPECT_NEAR(found.change, 0.15, 0.01);
  EXPECT_EQ(found.state(), RegressionState::open);
}

TEST(Regressions, WhatWasConfirmedIsFixedByTheRunThatIsBack) {
  const auto slow = [](int night) { return night == 3 || night == 4 ? 1.15 : 1; };
  const Regression found = CaseOverNights(7, slow).say(3, "SLOWER").regression();
  EXPECT_EQ(found.from, 3U);
  EXPECT_EQ(found.back, 5U);
}

TEST(Regressions, VerdictsOnLaterNightsAreOfTheStepThatIsKnown) {
  CaseOverNights nights(20, [](int night) {
    return slow_from_12(night) * (night % 2 == 0 ? 1 : 1.015);  // a noisy case
  });
  for (std::size_t night = 12; night < 20; ++night) nights.say(night, "SLOWER");
  EXPECT_EQ(nights.regression().from, 12U);
}

TEST(Regressions, AnAcknowledgedOneIsNotOpenUpToItsSizeAndItsDay) {
  const CaseOverNights nights(20, slow_from_12);
  Decisions decisions{.ledger = {{acknowledgement(), ""}}, .accepted = {}, .today = "1970-01-20"};
  LedgerEntry& entry = decisions.ledger[0].entry;
  const Regression found = nights.regression(decisions);
  EXPECT_EQ(found.state(), RegressionState::acknowledged);
  EXPECT_EQ(found.entry->author, "Ada");

  entry.change = 0.2;
  EXPECT_EQ(nights.regression(decisions).state(), RegressionState::acknowledged);
  entry.change = 0.05;
  EXPECT_EQ(nights.regression(decisions).state(), RegressionState::open);
  entry.change.reset();
  entry.until = "1970-01-19";
  EXPECT_EQ(nights.regression(decisions).state(), RegressionState::open);
  entry.until = "1970-01-20";
  entry.metric = "host_time";
  EXPECT_EQ(nights.regression(decisions).state(), RegressionState::open);
  entry.metric.clear();
  decisions.ledger[0].device_class = "NVIDIA H100";
  EXPECT_EQ(nights.regression(decisions).state(), RegressionState::open);
}

TEST(Regressions, OneWhoseRunWasAcceptedIsNotOpen) {
  const CaseOverNights nights(20, slow_from_12);
  AcceptedRun accepted{"NVIDIA H200", "quick", nights.started_at(14), "Ada", "wanted", ""};
  const auto state = [&](const AcceptedRun& run) {
    return nights.regression({.ledger = {}, .accepted = {run}, .today = ""}).state();
  };
  EXPECT_EQ(state(accepted), RegressionState::accepted);
  AcceptedRun other = accepted;
  other.suite = "nightly";
  EXPECT_EQ(state(other), RegressionState::open);
  other = accepted;
  other.device_class = "NVIDIA H100";
  EXPECT_EQ(state(other), RegressionState::open);
  other = accepted;
  other.started_at = nights.started_at(11);
  EXPECT_EQ(state(other), RegressionState::open) << "the night before it";
  other.started_at = "1970-01-15T12:00:00Z";
  EXPECT_EQ(state(other), RegressionState::accepted) << "a run that no history holds";
}

TEST(Regressions, ACaseThatFailsSinceIsBrokenUntilItRunsAgain) {
  std::vector<PastRun> runs(5);
  const auto found = [&](const std::vector<std::pair<std::size_t, Status>>& outcomes) {
    return breakages_of(runs, "quick", "relu", outcomes, {});
  };
  auto broken =
      found({{0, Status::ok}, {1, Status::crashed}, {2, Status::interrupted}, {3, Status::wrong}});
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken[0].kind, RegressionKind::broken);
  EXPECT_EQ(broken[0].from, 1U);
  EXPECT_EQ(broken[0].state(), RegressionState::open);
  broken = found({{0, Status::ok}, {1, Status::crashed}, {2, Status::ok}});
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken[0].back, 2U);
  EXPECT_TRUE(found({{0, Status::crashed}, {1, Status::crashed}}).empty()) << "it never ran";
}

TEST(Regressions, WhatLaterRunsOfTheSuiteDoNotHoldIsNoLongerMeasured) {
  const std::vector<SuiteSize> runs{{2, 50}, {3, 50}, {5, 48}, {6, 49}};
  EXPECT_EQ(left_with(runs, 3), 5U);
  EXPECT_EQ(left_with(runs, 6), std::nullopt) << "the newest run holds it";
  EXPECT_EQ(left_with(runs, 4), std::nullopt) << "a run that does not hold the suite";
  Regression found;
  found.left = 5;
  EXPECT_EQ(found.state(), RegressionState::unmeasured);
  found.entry = acknowledgement();
  EXPECT_EQ(found.state(), RegressionState::acknowledged);
}

TEST(Regressions, ARunOfChosenCasesSaysNothingOfTheOthers) {
  const std::vector<SuiteSize> runs{{0, 50}, {1, 12}, {2, 12}, {3, 26}};
  EXPECT_EQ(left_with(runs, 0), 3U);
  EXPECT_EQ(left_with(std::span(runs).first(3), 0), std::nullopt);
  EXPECT_EQ(left_with(std::span(runs).first(3), 1), std::nullopt)
      << "it was held by a run of chosen cases";
}

}  // namespace
}  // namespace plumbline
