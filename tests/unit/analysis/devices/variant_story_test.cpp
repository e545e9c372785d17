#include "analysis/devices/variant_story.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace plumbline {
namespace {

/// A run of one case. Rounds are numbered from `first`.
class OneCase {
 public:
  OneCase& add(const std::string& metric, const std::string& unit,
               const std::vector<double>& rounds, std::int64_t first = 0) {
    for (std::size_t i = 0; i < rounds.size(); ++i)
      row(metric, unit, first + std::int64_t(i)).samples.add_block(std::array{rounds[i]});
    return *this;
  }
  OneCase& absent(const std::string& metric, const std::string& reason) {
    ResultRow& one = row(metric, "1", 0);
    one.status = Status::unsupported;
    one.reason = reason;
    return *this;
  }
  ResultRow& row(const std::string& metric, const std::string& unit, std::int64_t round) {
    ResultRow& one = run_.rows.emplace_back();
    one.suite = "s";
    one.case_id = "net/custom";
    one.metric = metric;
    one.unit = unit;
    one.round = round;
    return one;
  }
  const Run& run() const { return run_; }

 private:
  Run run_;
};

CaseStory story(const OneCase& before, const OneCase& after) {
  const std::vector<CaseRows> first = rows_by_case(before.run()),
                              second = rows_by_case(after.run());
  const std::array<const CaseRows*, 2> both{&first.front(), &second.front()};
  return story_of(both, 0);
}

const std::vector<double> kTimes{1e-3, 1e-3, 1e-3};

OneCase with_accuracy(const std::vector<double>& accuracies, std::int64_t first = 0) {
  return OneCase().add("wall_time", "s", kTimes).add("accuracy", "1", accuracies, first);
}

TEST(VariantStory, ALossBeyondTheSeedsSpreadIsALoss) {
  const VariantAccuracy found =
      story(with_accuracy({0.90, 0.92, 0.91}), with_accuracy({0.80, 0.83, 0.80}))
          .variants[1]
          .accuracy;
  EXPECT_TRUE(found.is_loss);
  EXPECT_NEAR(*found.mean, 0.81, 1e-12);
  EXPECT_NEAR(*found.spread, 0.0173205, 1e-6);
  EXPECT_NEAR(found.difference->center, -0.1, 1e-12);
  EXPECT_LT(found.difference->high, 0);
  EXPECT_NEAR(*found.visible, 0.01 * 2.2972748, 1e-6);  // sd 0.01 of −0.10, −0.09, −0.11
}

TEST(VariantStory, ALossWithinTheSeedsSpreadIsNone) {
  const VariantAccuracy found =
      story(with_accuracy({0.90, 0.92, 0.91}), with_accuracy({0.88, 0.93, 0.90}))
          .variants[1]
          .accuracy;
  EXPECT_FALSE(found.is_loss);
  EXPECT_LT(found.difference->center, 0);
}

/// Seeds differ by far more than the technique costs: only pairs show it.
TEST(VariantStory, SeedsArePaired) {
  const VariantAccuracy found =
      story(with_accuracy({0.70, 0.90, 0.80}), with_accuracy({0.69, 0.889, 0.79}))
          .variants[1]
          .accuracy;
  EXPECT_TRUE(found.is_loss);
  // Rounds 1 to 3 against 0 to 2: two pairs, of equal seeds.
  const VariantAccuracy shifted =
      story(with_accuracy({0.70, 0.90, 0.80}), with_accuracy({0.90, 0.80, 0.60}, 1))
          .variants[1]
          .accuracy;
  EXPECT_EQ(shifted.seeds, 3U);
  EXPECT_EQ(shifted.pairs, 2U);
  EXPECT_EQ(shifted.difference->center, 0);
  EXPECT_FALSE(shifted.is_loss);
  EXPECT_FALSE(shifted.visible);
}

TEST(VariantStory, OneSeedAndNoneTellNoDifference) {
  const VariantAccuracy one =
      story(with_accuracy({0.9}), with_accuracy({0.1})).variants[1].accuracy;
  EXPECT_EQ(one.pairs, 1U);
  EXPECT_FALSE(one.difference || one.is_loss || one.spread);
  const OneCase without = OneCase().add("wall_time", "s", kTimes).absent("accuracy", "no sklearn");
  const CaseStory found = story(with_accuracy({0.9, 0.8}), without);
  EXPECT_EQ(found.variants[1].accuracy.reason, "no sklearn");
  EXPECT_FALSE(found.variants[1].accuracy.mean);
  EXPECT_TRUE(found.has_accuracy());
  const OneCase plain = OneCase().add("wall_time", "s", kTimes);
  EXPECT_FALSE(story(plain, plain).has_accuracy());
}

TEST(VariantStory, TheP99NeedsAHundredLaunches) {
  std::vector<double> few(99, 1.0), many(100, 1.0);
  many.back() = 3.0;
  OneCase before, after, batches;
  before.row("wall_time", "s", 0).samples.add_block(few);
  after.row("wall_time", "s", 0).samples.add_block(many);
  batches.row("wall_time", "s", 0).samples.add_block(many);
  const CaseStory found = story(before, after);
  EXPECT_EQ(found.time, "wall_time");
  EXPECT_FALSE(found.variants[0].p99_s);
  EXPECT_NEAR(*found.variants[1].p99_s, 1.02, 1e-12);  // type 7, between the last two
  plumbline::Run run = batches.run();
  run.rows.front().batch = 10;
  const std::vector<CaseRows> cases = rows_by_case(run);
  const std::array<const CaseRows*, 1> alone{&cases.front()};
  EXPECT_FALSE(story_of(alone, 0).variants[0].p99_s);
}

TEST(VariantStory, PhasesStandInTheirOrder) {
  const OneCase before = OneCase()
                             .add("wall_time", "s", kTimes)
                             .add("optimizer_time", "s", {2e-4, 2e-4})
                             .add("forward_time", "s", {1e-4, 1e-4});
  const OneCase graph = OneCase().add("wall_time", "s", kTimes);
  const CaseStory found = story(before, graph);
  ASSERT_EQ(found.variants[0].phases.size(), 2U);
  EXPECT_EQ(found.variants[0].phases[0].first, "forward");
  EXPECT_NEAR(found.variants[0].phases[1].second, 2e-4, 1e-12);
  EXPECT_TRUE(found.variants[1].phases.empty());
  EXPECT_TRUE(found.has_phases());
}

}  // namespace
}  // namespace plumbline
