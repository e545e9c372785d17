#include "analysis/history/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/compare/compare.h"
#include "support/synthetic_run.h"
#include "unit/analysis/past_nights.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

TEST(History, IsInTheOrderOfTimeWhateverTheOrderOfTheFiles) {
  auto summaries = nights(5, 1, [](int, int night) { return 1.0 + night; });
  std::swap(summaries[0], summaries[3]);
  const History history = make_history(summaries);
  ASSERT_EQ(history.series.size(), 1u);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(history.series[0].values[i].estimate, 1.0 + double(i));
}

TEST(History, TimesWithAnOffsetOrAFractionStandWhereTheyBelong) {
  auto summaries = nights(4, 1, [](int, int night) { return 1.0 + night; });
  const char* times[] = {"2026-01-01T23:30:00+02:00", "2026-01-01T22:00:00Z",
                         "2026-01-01T22:00:00.5Z", "2026-01-01T18:00:01-04:00"};
  for (std::size_t i = 0; i < 4; ++i) summaries[i].run.started_at = times[i];
  std::ranges::reverse(summaries);
  const History history = make_history(summaries);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(history.series[0].values[i].estimate, 1.0 + double(i)) << times[i];
}

TEST(History, AnotherProblemDeviceUnitOrMeaningIsASeriesOfItsOwn) {
  auto summaries = nights(5, 1, [](int, int) { return 1.0; });
  summaries[1].rows[0].revision = "2";
  summaries[2].run.device_class = "NVIDIA H100";
  summaries[3].run.measurement_revision = 1;
  summaries[4].rows[0].unit = "ms";
  EXPECT_EQ(make_history(summaries).series.size(), 5u);
}

TEST(History, ValuesThatAreNoTimesAreLeftOut) {
  auto summaries = nights(3, 1, [](int, int night) { return night == 1 ? kUnknown : 0.0; });
  EXPECT_TRUE(make_history(summaries).series.empty());
}

RunSummary started(const std::string& at) {
  RunSummary summary;
  summary.run.path = "runs/now";
  summary.run.started_at = at;
  summary.run.device_uuid = "GPU-1";
  return summary;
}

TEST(EarlierRuns, AreThoseBeforeTheCandidateWithoutBothSidesAndTheirCopies) {
  auto summaries = nights(10, 1, [](int, int) { return 1.0; });
  for (RunSummary& summary : summaries) summary.run.device_uuid = "GPU-1";
  summaries.push_back(summaries[3]);  // copies of the baseline and of the candidate
  summaries.push_back(summaries[6]);
  summaries[10].run.path = "elsewhere/3";
  summaries[11].run.path = "elsewhere/6";
  summaries.push_back(summaries[1]);  // of a run that is neither of them
  const std::string before = summaries[3].run.started_at, now = summaries[6].run.started_at;
  std::vector<std::string> paths;
  for (const RunSummary& kept : earlier_runs(summaries, started(before), started(now)).runs)
    paths.push_back(kept.run.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"runs/0", "runs/1", "runs/2", "runs/4", "runs/5"}));
  // Another device, or another shard, that began in the same second is a separate run.
  summaries[10].run.device_uuid = "GPU-2";
  summaries[11].run.shard = "2/2";
  EXPECT_EQ(earlier_runs(summaries, started(before), started(now)).runs.size(), 7u)
      << "five and these two";
}

TEST(EarlierRuns, OfTheBaselineCountWheneverTheyWereMeasured) {
  auto summaries = nights(4, 1, [](int, int) { return 1.0; });  // cards that ran side by side
  for (RunSummary& summary : summaries) summary.run.device_uuid = "GPU-1";
  const std::string first = summaries[0].run.started_at, second = summaries[1].run.started_at;
  EXPECT_TRUE(earlier_runs(summaries, started(second), started(first)).runs.empty());
  for (RunSummary& summary : summaries) summary.run.is_accepted = true;
  EXPECT_EQ(earlier_runs(summaries, started(second), started(first)).runs.size(), 2u);
}

TEST(EarlierRuns, OfACandidateThatDoesNotSayWhenItStartedAreAllThatAreNoCopies) {
  auto summaries = nights(4, 1, [](int, int) { return 1.0; });
  for (RunSummary& summary : summaries) summary.run.device_uuid = "GPU-1";
  EXPECT_EQ(earlier_runs(summaries, started(summaries[0].run.started_at), started("")).runs.size(),
            3u);
}

TEST(CompareWithHistory, SaysFromWhichNumberOfRunsOnItKnowsWhichChangeCounts) {
  auto before = planted::run_on("NVIDIA H200"), now = before;
  planted::add_case(before, "op/libtorch/n=0", 1e-4);
  planted::add_case(now, "op/libtorch/n=0", 1e-4);
  SyntheticNoise noise(12);
  const auto note_of = [&](int count) {
    const History history = make_history(
        nights(count, 1, [&](int, int) { return 1e-4 * (1 + 0.001 * noise.normal()); }));
    CompareOptions options;
    options.history = &history;
    return compare(before, now, default_rule("cuda"), options).notes.at(0);
  };
  EXPECT_EQ(
      note_of(9),
      "9 earlier runs measured how much 1 values vary from run to run; from which change on a "
      "value counts, takes ten.");
  EXPECT_EQ(
      note_of(10),
      "10 earlier runs measured how much 1 values vary from run to run, and from which change "
      "on 1 of them count.");
}

TEST(RunVariances, LeaveOutWhatAllCasesOfARunShareAndAreTakenWithinLevels) {
  SyntheticNoise noise(3);
  std::vector<double> shifts(20);
  for (double& shift : shifts) shift = 0.02 * noise.normal();
  const auto estimate = [&](int i, int night) {
    const double sd = i < 25 ? 0.002 : 0.02;
    return 1e-4 * std::exp(shifts[std::size_t(night)] + sd * noise.normal() +
                           (i % 5 == 0 && night >= 8 ? 0.3 : 0));
  };
  const History history = make_history(nights(20, 50, estimate));
  const auto variances = run_variances(history);
  double quiet = 0, loud = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    (i < 25 ? quiet : loud) += variances[i].variance / 25;
    EXPECT_EQ(variances[i].df, i % 5 == 0 ? 18 : 19) << i;
  }
  EXPECT_NEAR(std::sqrt(quiet), 0.002, 0.0004);
  EXPECT_NEAR(std::sqrt(loud), 0.02, 0.004);
}

// A comparison counts cases too, and removes no shift of fewer than twelve.
TEST(RunVariances, OfFewCasesHoldWhatTheirRunsShareHoweverManyTimersReadThem) {
  for (const int cases : {8, 12}) {
    SyntheticNoise noise(5);
    std::vector<double> shifts(20);
    for (double& shift : shifts) shift = 0.02 * noise.normal();
    auto summaries = nights(20, cases, [&](int, int night) {
      return 1e-4 * std::exp(shifts[std::size_t(night)] + 0.001 * noise.normal());
    });
    for (RunSummary& summary : summaries) {
      std::vector<CaseSummary> both;
      for (const CaseSummary& row : summary.rows) {
        both.insert(both.end(), 2, row);
        both.back().metric = "kernel_time_cold";
      }
      summary.rows = both;
    }
    const bool is_shared = cases < 12;
    for (const RunVariance& found : run_variances(make_history(summaries)))
      EXPECT_NEAR(std::sqrt(found.variance), is_shared ? 0.02 : 0.001, is_shared ? 0.006 : 0.0005)
          << cases;
  }
}

TEST(RunVariances, OfTwoDevicesThatTakeTurnsAreThoseOfEach) {
  SyntheticNoise noise(8);
  auto summaries = nights(24, 40, [&](int i, int night) {
    const double device = night % 2 ? 0.05 * (i % 2 ? 1 : -1) : 0;
    return 1e-4 * std::exp(device + 0.002 * noise.normal());
  });
  for (std::size_t night = 0; night < summaries.size(); ++night)
    summaries[night].run.device_uuid = night % 2 ? "GPU-1" : "GPU-2";
  double sum = 0;
  for (const RunVariance& found : run_variances(make_history(summaries))) {
    EXPECT_EQ(found.df, 22);
    EXPECT_LT(found.floor, 0.02);
    sum += found.variance;
  }
  EXPECT_NEAR(std::sqrt(sum / 40), 0.002, 0.0003);
}

TEST(RunVariances, OfWhatIsNoTimeOweNothingToTheTimesOfTheirRuns) {
  SyntheticNoise noise(9);
  std::vector<double> shifts(14);
  for (double& shift : shifts) shift = 0.03 * noise.normal();
  auto summaries = nights(14, 40, [&](int i, int night) {
    return i < 10 ? 1e9 : 1e-4 * std::exp(shifts[std::size_t(night)]);
  });
  for (RunSummary& summary : summaries)
    for (std::size_t i = 0; i < 10; ++i) {
      summary.rows[i].metric = "peak_memory";
      summary.rows[i].unit = "B";
    }
  const auto variances = run_variances(make_history(summaries));
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(variances[i].variance, 0, 1e-20);
    EXPECT_NEAR(variances[i].floor, 0, 1e-9);
  }
}

TEST(RunVariances, OfTwoRunsAreUnknown) {
  const History history = make_history(nights(2, 1, [](int, int night) { return 1.0 + night; }));
  EXPECT_EQ(run_variances(history)[0].df, 0);
}

TEST(CompareWithHistory, ACaseThatVariesFromRunToRunIsNotSlowerForDoingItAgain) {
  SyntheticNoise noise(4);
  const auto estimate = [&](int i, int) {
    return 1e-4 * (1 + (i == 0 ? 0.03 : 0.001) * noise.normal());
  };
  const History history = make_history(nights(15, 40, estimate));
  auto before = planted::run_on("NVIDIA H200"), now = before;
  for (int i = 0; i < 40; ++i) {
    const std::string id = "op/libtorch/n=" + std::to_string(i);
    planted::add_case(before, id, 1e-4);
    planted::add_case(now, id, i < 2 ? 1.04e-4 : 1e-4);
  }
  CompareOptions options;
  const auto verdict_of = [&](const Comparison& made, const std::string& id) {
    for (const Finding& finding : made.findings)
      if (finding.case_id == id) return finding.verdict;
    return Verdict::missing;
  };
  options.history = &history;
  const Comparison made = compare(before, now, default_rule("cuda"), options);
  EXPECT_EQ(verdict_of(made, "op/libtorch/n=0"), Verdict::unresolved);
  EXPECT_EQ(verdict_of(made, "op/libtorch/n=1"), Verdict::slower);
}

TEST(CompareWithHistory, OneBadNightOfACaseHidesNoChangeOfIt) {
  SyntheticNoise noise(9);
  const auto with_strays = [&](std::size_t strays) {
    return make_history(nights(16, 40, [&](int i, int night) {
      const bool is_stray = i == 0 && night % 4 == 1 && std::size_t(night / 4) < strays;
      return (is_stray ? 1.3e-4 : 1e-4) * (1 + 0.001 * noise.normal());
    }));
  };
  auto before = planted::run_on("NVIDIA H200"), now = before;
  for (int i = 0; i < 40; ++i) {
    const std::string id = "op/libtorch/n=" + std::to_string(i);
    planted::add_case(before, id, 1e-4);
    planted::add_case(now, id, i == 0 ? 1.05e-4 : 1e-4);
  }
  const auto verdict = [&](const History& history) {
    CompareOptions options;
    options.history = &history;
    const Comparison made = compare(before, now, default_rule("cuda"), options);
    return std::ranges::find(made.findings, "op/libtorch/n=0", &Finding::case_id)->verdict;
  };
  EXPECT_EQ(verdict(with_strays(1)), Verdict::slower);
  EXPECT_EQ(verdict(with_strays(2)), Verdict::slower);
  EXPECT_EQ(verdict(with_strays(4)), Verdict::unresolved) << "the case is like that";
}

TEST(LearnedFloor, IsThreeTimesWhatSuccessiveRunsDifferByInTheMedian) {
  SyntheticNoise noise(5);
  const auto estimate = [&](int i, int) {
    return 1e-4 * std::exp((i < 20 ? 0.002 : 0.01) * noise.normal());
  };
  const auto variances = run_variances(make_history(nights(60, 40, estimate)));
  double quiet = 0, loud = 0;
  for (std::size_t i = 0; i < 40; ++i) (i < 20 ? quiet : loud) += variances[i].floor / 20;
  const double per_sd = 3 * 0.6745 * std::sqrt(2);  // of normal scatter
  EXPECT_NEAR(quiet, per_sd * 0.002, 0.1 * per_sd * 0.002);
  EXPECT_NEAR(loud, per_sd * 0.01, 0.1 * per_sd * 0.01);
  EXPECT_EQ(run_variances(make_history(nights(9, 40, estimate)))[0].floor, 0) << "too few runs";
}

/// Forty cases, the first slower by `factor`, against a history with the same scatter.
Comparison compared_with_history(double scatter, double factor, CompareOptions options = {}) {
  SyntheticNoise noise(6);
  const History history = make_history(
      nights(30, 40, [&](int, int) { return 1e-4 * std::exp(scatter * noise.normal()); }));
  auto before = planted::run_on("NVIDIA H200"), now = before;
  for (int i = 0; i < 40; ++i) {
    const std::string id = "op/libtorch/n=" + std::to_string(i);
    planted::add_case(before, id, 1e-4, 0.0002);
    planted::add_case(now, id, i == 0 ? factor * 1e-4 : 1e-4, 0.0002);
  }
  options.history = &history;
  return compare(before, now, default_rule("cuda"), options);
}

TEST(LearnedFloor, OfALoudCaseIsWhatItCountsFromAndOfAQuietOneTheRules) {
  const Comparison quiet = compared_with_history(0.0005, 1.03),
                   loud = compared_with_history(0.012, 1.03);
  EXPECT_EQ(quiet.findings[0].verdict, Verdict::slower);
  for (const Finding& finding : quiet.findings) EXPECT_EQ(finding.threshold, 0.02);
  double sum = 0;
  for (const Finding& finding : loud.findings) {
    EXPECT_EQ(finding.verdict, Verdict::unresolved);
    EXPECT_GE(finding.threshold, 0.02);
    sum += finding.threshold;
  }
  EXPECT_NEAR(sum / 40, 3 * 0.6745 * std::sqrt(2) * 0.012, 0.003);
}

TEST(LearnedFloor, GivesWayToWhatASuiteSays) {
  CompareOptions options;
  options.thresholds[{"quick", "op/libtorch/n=0"}] = 0.01;
  const Comparison made = compared_with_history(0.012, 1.03, options);
  EXPECT_EQ(made.findings[0].case_id, "op/libtorch/n=0");
  EXPECT_EQ(made.findings[0].threshold, 0.01);
}

/// Forty cases that all take longer by `common`, and from the 30th on also by `own`, against nights
/// that each moved as a whole by 0.5 %.
Comparison night_that_moved(double common, double own) {
  SyntheticNoise noise(10);
  std::vector<double> shifts(20);
  for (double& shift : shifts) shift = 0.005 * noise.normal();
  const History history = make_history(nights(20, 40, [&](int, int night) {
    return 1e-4 * std::exp(shifts[std::size_t(night)] + 0.001 * noise.normal());
  }));
  auto before = planted::run_on("NVIDIA H200"), now = before;
  for (int i = 0; i < 40; ++i) {
    const std::string id = "op/libtorch/n=" + std::to_string(i);
    planted::add_case(before, id, 1e-4 * std::exp(0.001 * noise.normal()));
    planted::add_case(now, id,
                      1e-4 * std::exp(common + (i < 30 ? 0 : own) + 0.001 * noise.normal()));
  }
  CompareOptions options;
  options.history = &history;
  return compare(before, now, default_rule("cuda"), options);
}

TEST(CompareWithHistory, WhatAllCasesShareAndIsTooLittleToTellIsTakenOff) {
  const Comparison silent = night_that_moved(0.009, 0);
  EXPECT_FALSE(silent.shift);
  std::size_t in_doubt = 0;
  for (const Finding& finding : silent.findings) in_doubt += *finding.p_value <= 0.02;
  EXPECT_LE(in_doubt, 4u);
  EXPECT_NE(silent.notes.back().find("All cases share +0.8"), std::string::npos)
      << silent.notes.back();
  const Comparison moved = night_that_moved(-0.009, 0.025);
  for (const Finding& finding : moved.findings) {
    const bool is_slower = std::stoi(finding.case_id.substr(finding.case_id.find("n=") + 2)) >= 30;
    EXPECT_TRUE(!is_slower || finding.verdict != Verdict::same) << *finding.change_high;
  }
}

TEST(CompareWithHistory, ANightInAnotherUnitHidesNoChange) {
  SyntheticNoise noise(13);
  std::vector<RunSummary> summaries =
      nights(7, 40, [&](int, int) { return 1e-4 * std::exp(0.001 * noise.normal()); });
  for (CaseSummary& row : summaries[0].rows) {
    row.unit = "ms";
    row.estimate *= 1e3;
  }
  const History history = make_history(summaries);
  auto before = planted::run_on("NVIDIA H200"), now = before;
  for (int i = 0; i < 40; ++i) {
    const std::string id = "op/libtorch/n=" + std::to_string(i);
    planted::add_case(before, id, 1e-4, 0.0002);
    planted::add_case(now, id, i == 0 ? 1.1e-4 : 1e-4, 0.0002);
  }
  CompareOptions options;
  options.history = &history;
  const Comparison made = compare(before, now, default_rule("cuda"), options);
  EXPECT_EQ(made.findings[0].case_id, "op/libtorch/n=0");
  EXPECT_EQ(made.findings[0].verdict, Verdict::slower) << made.findings[0].reason;
}

/// Forty cases against a history that lacks the first one, which is slower by `factor`; the others
/// varied by `scatter`.
Finding new_case_among(double scatter, double factor) {
  SyntheticNoise noise(12);
  std::vector<RunSummary> summaries =
      nights(30, 40, [&](int, int) { return 1e-4 * std::exp(scatter * noise.normal()); });
  for (RunSummary& summary : summaries) summary.rows.erase(summary.rows.begin());
  const History history = make_history(summaries);
  auto before = planted::run_on("NVIDIA H200"), now = before;
  for (int i = 0; i < 40; ++i) {
    const std::string id = "op/libtorch/n=" + std::to_string(i);
    planted::add_case(before, id, 1e-4, 0.0002);
    planted::add_case(now, id, i == 0 ? factor * 1e-4 : 1e-4, 0.0002);
  }
  CompareOptions options;
  options.history = &history;
  for (const Finding& finding : compare(before, now, default_rule("cuda"), options).findings)
    if (finding.case_id == "op/libtorch/n=0") return finding;
  return {};
}

TEST(CompareWithHistory, ACaseWithoutEarlierRunsVariesNoLessThanThoseAroundIt) {
  const Finding among_quiet = new_case_among(0.0005, 1.04), among_loud = new_case_among(0.02, 1.04);
  EXPECT_EQ(among_quiet.verdict, Verdict::slower) << among_quiet.reason;
  EXPECT_EQ(among_loud.verdict, Verdict::unresolved);
  // At least 98 % of √2 times the scatter.
  EXPECT_GT(std::log1p(*among_loud.change_high) - std::log1p(*among_loud.change_low),
            2 * 2.3 * std::sqrt(2) * 0.02);
  // If the others tell little, the rule remains: √2 × 0.25 % with 5 degrees of freedom.
  EXPECT_GT(std::log1p(*among_quiet.change_high) - std::log1p(*among_quiet.change_low),
            2 * 3.3 * std::sqrt(2) * 0.0025);
}

TEST(CompareWithHistory, OfAnotherDeviceOfTheClassKnowsTooLittle) {
  SyntheticNoise noise(11);
  auto summaries =
      nights(20, 40, [&](int, int) { return 1e-4 * std::exp(0.001 * noise.normal()); });
  for (RunSummary& summary : summaries) summary.run.device_uuid = "GPU-1";
  const History history = make_history(summaries);
  CompareOptions options;
  options.history = &history;
  constexpr double kCard = 0.01;  // more than the difference between H200s of two kinds
                                  // (noise_priors.cpp)
  for (const bool is_other : {false, true}) {
    auto before = planted::run_on("NVIDIA H200"), now = before;
    if (is_other) now.info.environment.device_uuids = {"GPU-2"};
    for (int i = 0; i < 40; ++i) {
      const std::string id = "op/libtorch/n=" + std::to_string(i);
      planted::add_case(before, id, 1e-4);
      planted::add_case(now, id, 1e-4 * std::exp(kCard * noise.normal()));
    }
    const Comparison made = compare(before, now, default_rule("cuda"), options);
    const std::size_t changed = made.count(Verdict::slower) + made.count(Verdict::faster);
    EXPECT_EQ(changed > 0, !is_other) << changed;
  }
}

}  // namespace
}  // namespace plumbline
