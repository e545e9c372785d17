// A candidate against its baseline's level in earlier runs: bad visits, bad accepted runs, steps,
// coarse timers, copies. Seeded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analysis/compare/compare.h"
#include "analysis/history/history.h"
#include "analysis/history/levels.h"
#include "core/moment.h"
#include "support/synthetic_run.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

constexpr int kCases = 20;

std::string id_of(int i) { return "op/libtorch/n=" + std::to_string(i); }

/// Seconds of a visit of a case.
using Visit = std::function<double(int i, int visit)>;

plumbline::Run run_of(int night, const Visit& seconds) {
  plumbline::Run run = planted::run_on("NVIDIA H200");
  run.path = "runs/" + std::to_string(night);
  run.info.started_at = utc_text({night * 86'400});
  for (int visit = 0; visit < 3; ++visit)
    for (int i = 0; i < kCases; ++i) {
      ResultRow row = planted::row_of(id_of(i), visit);
      const double block[] = {seconds(i, visit)};
      for (int k = 0; k < 8; ++k) row.samples.add_block(block);
      run.rows.push_back(std::move(row));
    }
  return run;
}

RunSummary summary_of(const plumbline::Run& run) {
  const RunInfo& info = run.info;
  return {{run.path, info.started_at, "", info.environment.device_class,
           info.environment.device_uuid(), info.measurement_revision},
          summarize(run)};
}

/// The first case, with `baseline` among the nights before the candidate.
Finding judged(const std::vector<plumbline::Run>& nights, std::size_t baseline,
               const plumbline::Run& candidate) {
  std::vector<RunSummary> summaries;
  for (const plumbline::Run& night : nights) summaries.push_back(summary_of(night));
  summaries[baseline].run.is_baseline = true;
  summaries.push_back(summary_of(candidate));
  summaries.back().run.is_candidate = true;
  const History history = make_history(std::move(summaries));
  CompareOptions options;
  options.history = &history;
  const Comparison made = compare(nights[baseline], candidate, default_rule("cuda"), options);
  return *std::ranges::find(made.findings, id_of(0), &Finding::case_id);
}

/// Scatter of nights 0.3 %, of visits 0.1 %.
class Machine {
 public:
  explicit Machine(std::uint64_t seed) : noise_(seed) {}

  /// The first case takes `factor` times as long, one of its visits `of_one_visit` times that.
  plumbline::Run night(int number, double factor = 1, double of_one_visit = 1) {
    std::vector<double> levels;
    for (int i = 0; i < kCases; ++i) levels.push_back(1e-5 * std::exp(0.003 * noise_.normal()));
    return run_of(number, [&](int i, int visit) {
      return levels[std::size_t(i)] * std::exp(0.001 * noise_.normal()) * (i == 0 ? factor : 1) *
             (i == 0 && visit == 1 ? of_one_visit : 1);
    });
  }

  std::vector<plumbline::Run> nights(int count, const std::function<double(int)>& factor) {
    std::vector<plumbline::Run> all;
    for (int i = 0; i < count; ++i) all.push_back(night(i, factor(i)));
    return all;
  }

 private:
  SyntheticNoise noise_;
};

TEST(PastLevel, one_bad_visit_of_three_is_no_slowdown_and_three_are) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Machine machine(seed);
    const auto nights = machine.nights(11, [](int) { return 1.0; });
    EXPECT_NE(judged(nights, 10, machine.night(11, 1, 1.12)).verdict, Verdict::slower);
    const Finding slower = judged(nights, 10, machine.night(11, 1.04));
    EXPECT_EQ(slower.verdict, Verdict::slower) << slower.reason;
    EXPECT_NEAR(*slower.change, *slower.candidate / *slower.baseline - 1, 0.01);
  }
}

TEST(PastLevel, an_accepted_run_that_was_a_bad_one_slows_no_other_run_down) {
  for (const double bad : {0.95, 1.05}) {
    Machine machine(3);
    const auto nights = machine.nights(11, [bad](int i) { return i == 6 ? bad : 1.0; });
    const Finding found = judged(nights, 6, machine.night(11));
    EXPECT_TRUE(found.verdict == Verdict::same || found.verdict == Verdict::unresolved);
    EXPECT_NEAR(*found.change, 0, 0.02);
  }
}

TEST(PastLevel, a_step_behind_the_baseline_is_a_change_and_no_noise_from_its_first_night_on) {
  for (const int steps_at : {5, 6, 9, 10})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Machine machine(seed);
      const auto factor = [steps_at](int i) { return i < steps_at ? 1.0 : 1.15; };
      const auto nights = machine.nights(10, factor);
      const Finding found = judged(nights, 0, machine.night(10, 1.15));
      EXPECT_EQ(found.verdict, Verdict::slower) << steps_at << ": " << found.reason;
      EXPECT_NEAR(*found.change, 0.15, 0.02);
    }
}

TEST(PastLevel, a_step_right_behind_the_baseline_is_one_however_long_ago_it_was) {
  Machine machine(6);
  const auto nights = machine.nights(10, [](int i) { return i == 0 ? 1.0 : 1.1; });
  EXPECT_EQ(judged(nights, 0, machine.night(10, 1.1)).verdict, Verdict::slower);
}

TEST(PastLevel, a_small_step_that_began_the_night_before_is_no_noise) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Machine machine(seed);
    const auto nights = machine.nights(12, [](int i) { return i < 11 ? 1.0 : 1.05; });
    EXPECT_EQ(judged(nights, 3, machine.night(12, 1.05)).verdict, Verdict::slower) << seed;
  }
}

TEST(PastLevel, a_mode_in_which_one_earlier_night_was_is_no_slowdown_and_more_than_that_is_one) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Machine machine(seed);
    const auto nights = machine.nights(11, [](int i) { return i == 4 ? 1.08 : 1.0; });
    EXPECT_NE(judged(nights, 10, machine.night(11, 1.08)).verdict, Verdict::slower) << seed;
    EXPECT_EQ(judged(nights, 10, machine.night(11, 1.2)).verdict, Verdict::slower) << seed;
    EXPECT_EQ(judged(nights, 10, machine.night(11, 1.035)).verdict, Verdict::slower) << seed;
    EXPECT_EQ(judged(nights, 10, machine.night(11, 1 / 1.08)).verdict, Verdict::faster) << seed;
  }
}

TEST(PastLevel, of_a_timer_that_reads_equal_steps_one_step_is_no_change) {
  const auto reading = [](double ticks) {
    return [ticks](int i, int) { return (i == 0 ? ticks : 64) * 32e-9; };
  };
  std::vector<plumbline::Run> nights;
  for (int i = 0; i < 11; ++i) nights.push_back(run_of(i, reading(64)));
  EXPECT_NE(judged(nights, 10, run_of(11, reading(66))).verdict, Verdict::slower)
      << "ten nights of one reading have no variance";
  nights[3] = run_of(3, reading(65));  // now a step of the timer is known
  nights[10] =
      run_of(10, [](int i, int visit) { return (i == 0 && visit == 0 ? 65 : 64) * 32e-9; });
  EXPECT_EQ(judged(nights, 10, run_of(11, reading(80))).verdict, Verdict::slower);
}

TEST(PastLevel, a_run_that_was_copied_counts_once_whatever_its_copies_say_of_their_start) {
  Machine machine(4);
  const auto nights = machine.nights(3, [](int) { return 1.0; });
  std::vector<RunSummary> summaries;
  for (int i = 0; i < 6; ++i) {
    summaries.push_back(summary_of(nights[1]));
    summaries.back().run.started_at = utc_text({(i + 1) * 3600});
    summaries.back().run.path = "copies/" + std::to_string(i);
  }
  const EarlierRuns earlier =
      earlier_runs(summaries, summary_of(nights[0]), summary_of(machine.night(9)));
  EXPECT_EQ(earlier.runs.size(), 1u);
  EXPECT_EQ(earlier.notes,
            std::vector<std::string>{
                "copies/1 and 4 more have the same times as copies/0, although they say that they "
                "started at another moment: they count as one run"});
  EXPECT_TRUE(earlier_runs(summaries, summary_of(nights[1]), summary_of(nights[2])).runs.empty());
}

TEST(PastLevel, runs_of_one_day_whose_hour_nobody_says_are_runs_of_their_own) {
  Machine machine(5);
  std::vector<RunSummary> summaries;
  for (const plumbline::Run& night : machine.nights(8, [](int) { return 1.0; })) {
    summaries.push_back(summary_of(night));
    summaries.back().run.started_at = "1970-01-02";
  }
  EXPECT_EQ(earlier_runs(summaries, summary_of(machine.night(20)), summary_of(machine.night(21)))
                .runs.size(),
            8u);
}

TEST(Levels, are_cut_where_a_step_stands_out_and_nowhere_in_noise) {
  SyntheticNoise noise(7);
  int cuts = 0;
  for (int k = 0; k < 2000; ++k) {
    std::vector<double> logs(20);
    for (double& log : logs) log = 0.01 * noise.normal();
    cuts += int(level_starts(logs).size()) - 1;
    for (std::size_t i = 13; i < logs.size(); ++i) logs[i] += 0.15;
    EXPECT_EQ(level_starts(logs).back(), 13u);
  }
  EXPECT_LE(cuts, 20);
  EXPECT_EQ(level_starts(std::vector<double>(9, 0.5)), std::vector<std::size_t>{0});
  EXPECT_EQ(level_starts({}), std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace plumbline
