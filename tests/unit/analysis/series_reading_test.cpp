#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/history/history.h"
#include "support/synthetic_run.h"
#include "unit/analysis/past_nights.h"

namespace plumbline {
namespace {

TEST(SeriesReading, TellsTheRunThatChangedAndTheChangeSinceTheAnchor) {
  SyntheticNoise noise(1);
  const auto step = [&](int, int night) {
    return 1e-4 * (1 + 0.002 * noise.normal()) * (night < 12 ? 1 : 1.04);
  };
  const History history = make_history(nights(20, 1, step));
  const SeriesReading reading = read_series(history, history.series[0], {}, "runs/3");
  ASSERT_EQ(reading.changes.size(), 1u);
  EXPECT_EQ(reading.changes[0].at, 12u);
  EXPECT_NEAR(*reading.since_anchor, std::log(1.04), 0.01);
  EXPECT_NEAR(*reading.since_previous, 0, 0.01);
  EXPECT_FALSE(reading.drift) << "eight runs after the change are too few";
}

TEST(SeriesReading, TellsAChangeThatTwoRunsShowAndALastRunThatLiesApart) {
  for (const int since : {1, 2, 3}) {
    SyntheticNoise noise(12);
    const History history = make_history(nights(12, 1, [&](int, int night) {
      return 1e-4 * (1 + 0.002 * noise.normal()) * (night < 12 - since ? 1 : 2.1);
    }));
    const SeriesReading reading = read_series(history, history.series[0], {});
    EXPECT_EQ(reading.changes.size(), since > 1 ? 1u : 0u);
    EXPECT_EQ(reading.last_is_apart, since == 1);
    if (since > 1) {
      EXPECT_EQ(reading.changes[0].at, 12u - unsigned(since));
    }
  }
}

TEST(SeriesReading, TellsAChangeOfDeviceFromOneOfACommit) {
  SyntheticNoise noise(13);
  auto summaries = nights(24, 1, [&](int, int night) {
    return 1e-4 * (1 + 0.002 * noise.normal()) * (night < 8 ? 1 : night < 16 ? 1.05 : 1.1);
  });
  for (std::size_t night = 0; night < summaries.size(); ++night)
    summaries[night].run.device_uuid = night < 8 ? "GPU-a" : "GPU-b";
  const History history = make_history(summaries);
  const SeriesReading reading = read_series(history, history.series[0], {});
  ASSERT_EQ(reading.changes.size(), 2u);
  EXPECT_TRUE(is_of_device(history.runs, history.series[0], reading.changes[0].at));
  EXPECT_FALSE(is_of_device(history.runs, history.series[0], reading.changes[1].at));
}

TEST(SeriesReading, TellsADriftFromNone) {
  SyntheticNoise noise(2);
  const auto rising = [&](int, int night) {
    return 1e-4 * (1 + 0.002 * noise.normal()) * (1 + 0.0006 * night);
  };
  const auto flat = [&](int, int) { return 1e-4 * (1 + 0.002 * noise.normal()); };
  for (const bool is_rising : {true, false}) {
    const History history = make_history(is_rising ? nights(30, 1, rising) : nights(30, 1, flat));
    HistoryRule rule;
    rule.search.floor = 0.05;  // so that the whole drift is seen
    const SeriesReading reading = read_series(history, history.series[0], rule);
    HistoryRule told_alone = rule;
    told_alone.measures_untold_drift = false;
    EXPECT_EQ(read_series(history, history.series[0], told_alone).drift.has_value(), is_rising);
    ASSERT_TRUE(reading.drift);
    EXPECT_EQ(reading.drift->is_told(rule.level), is_rising);
    EXPECT_NEAR(reading.drift->change, is_rising ? 0.0174 : 0, 0.004);
  }
}

/// 40 nights of 20 cases, with `log_at` as the logarithm and 0.2 % of noise.
History shaped(double (*log_at)(int night)) {
  SyntheticNoise noise(21);
  return make_history(nights(40, 20, [&](int, int night) {
    return 1e-4 * std::exp(0.002 * noise.normal() + log_at(night));
  }));
}

bool is_drift_told(const SeriesReading& reading) {
  return reading.drift && reading.drift->is_told(HistoryRule().level);
}

TEST(SeriesReading, TellsALineAsADriftAndABentLineOnce) {
  const History line = shaped([](int night) { return 0.05 * night / 39; });
  for (const Series& series : line.series) {
    const SeriesReading reading = read_series(line, series, {});
    EXPECT_TRUE(reading.changes.empty() && is_drift_told(reading)) << series.case_id;
  }
  for (const auto bent : {+[](int night) { return 0.05 * std::max(0, night - 19) / 20; },
                          +[](int night) { return 0.05 * std::min(20, night) / 20; }}) {
    const History history = shaped(bent);
    for (const Series& series : history.series) {
      const SeriesReading reading = read_series(history, series, {});
      EXPECT_TRUE(!reading.changes.empty() || is_drift_told(reading)) << series.case_id;
    }
  }
}

TEST(SeriesReading, TellsStepsWhateverDriftsBesideThem) {
  struct Shape {
    const char* name;
    double (*log_at)(int night);
    std::vector<std::size_t> steps;  // of some of the found ones
  };
  const Shape shapes[] = {
      {"step", [](int night) { return 0.05 * (night >= 20); }, {20}},
      {"early step", [](int night) { return 0.05 * (night >= 8); }, {8}},
      {"stairs", [](int night) { return 0.05 * (night / 10); }, {10, 20, 30}},
      {"step, then drift",
       [](int night) { return night < 20 ? 0 : 0.1 + 0.1 * (night - 20) / 20; },
       {20}},
      {"drift, then step",
       [](int night) { return 0.1 * std::min(night, 20) / 20 + 0.05 * (night >= 20); },
       {20}},
      {"step in a line", [](int night) { return 0.1 * night / 39 + 0.05 * (night >= 20); }, {20}}};
  for (const Shape& shape : shapes) {
    const History history = shaped(shape.log_at);
    for (const Series& series : history.series) {
      const SeriesReading reading = read_series(history, series, {});
      for (const std::size_t step : shape.steps)
        EXPECT_TRUE(std::ranges::find(reading.changes, step, &ChangePoint::at) !=
                    reading.changes.end())
            << shape.name << " at " << step << ", " << series.case_id;
    }
  }
}

TEST(SeriesReading, CallsNoNoiseADrift) {
  SyntheticNoise noise(3);
  constexpr int kCases = 400;
  const auto flat = [&](int, int) { return 1e-4 * (1 + 0.002 * noise.normal()); };
  const History history = make_history(nights(16, kCases, flat));
  HistoryRule rule;
  rule.search.floor = 0.05;
  int told = 0;
  for (const Series& series : history.series) {
    const Drift drift = read_series(history, series, rule).drift.value();
    told += drift.is_told(rule.level);
    EXPECT_GT(drift.p_value, 1e-6) << "of 16 values";
  }
  EXPECT_LE(told, kCases * rule.level + 6);
}

TEST(SeriesReading, TailsThatGrewAreToldWhereTheEstimateStays) {
  SyntheticNoise noise(21);
  auto summaries = nights(30, 2, [&](int, int) { return 1e-4 * (1 + 0.002 * noise.normal()); });
  for (std::size_t night = 0; night < summaries.size(); ++night)
    for (std::size_t i = 0; i < 2; ++i)
      if (night != 4)  // from a version that did not keep it
        summaries[night].rows[i].tail =
            (i == 0 && night >= 18 ? 0.12 : 0.02) + 0.003 * std::abs(noise.normal());
  const History history = make_history(summaries);
  const SeriesReading grew = read_series(history, history.series[0], {}),
                      stayed = read_series(history, history.series[1], {});
  EXPECT_TRUE(grew.changes.empty());
  ASSERT_EQ(grew.tail_changes.size(), 1u);
  EXPECT_EQ(grew.tail_changes[0].at, 18u);
  EXPECT_NEAR(grew.tail_changes[0].after - grew.tail_changes[0].before, std::log(1.12 / 1.02),
              0.01);
  EXPECT_TRUE(stayed.tail_changes.empty());
}

TEST(SeriesReading, TellsNoChangeBelowTheFloorWhateverIsLeftOutAroundIt) {
  std::size_t told = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SyntheticNoise noise(seed);
    const History history = make_history(nights(60, 1, [&](int, int night) {
      return 1e-4 * std::exp(0.003 * noise.normal() + 0.02 * night / 60 +
                             (night >= 20 ? 0.009 : 0) + (night >= 40 ? 0.012 : 0));
    }));
    for (const ChangePoint& change : read_series(history, history.series[0], {}).changes) {
      EXPECT_GE(std::abs(change.after - change.before), HistoryRule{}.search.floor);
      ++told;
    }
  }
  EXPECT_GT(told, 0u);
}

}  // namespace
}  // namespace plumbline
