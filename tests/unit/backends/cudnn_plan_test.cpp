#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "backends/cudnn/graph/plan.h"
#include "backends/implementation.h"

namespace plumbline::cudnn {
namespace {

using Kind = PlanChoice::Kind;

/// Candidates with their times; those that cannot be built have none.
struct Scripted {
  std::vector<double> seconds;
  std::set<std::int64_t> broken;
  std::vector<std::int64_t> built;

  Candidates candidates() {
    return {.count = std::int64_t(seconds.size()),
            .build = [this](std::int64_t i) -> std::string {
              if (broken.contains(i)) return "no engine " + std::to_string(i);
              built.push_back(i);
              return "";
            },
            .seconds = [this](std::int64_t i) { return seconds[std::size_t(i)]; }};
  }
  std::int64_t choose(Kind kind, std::int64_t index = 0) {
    return choose_plan({kind, index}, candidates());
  }
  std::string refusal(Kind kind, std::int64_t index = 0) {
    try {
      choose(kind, index);
    } catch (const Unsupported& reason) {
      return reason.what();
    }
    return "";
  }
};

TEST(CudnnPlan, TheHeuristicsFirstThatCanBeBuiltIsTakenAndNoOtherIsBuilt) {
  Scripted scripted{{3e-6, 1e-6, 2e-6}, {0}, {}};
  EXPECT_EQ(scripted.choose(Kind::heuristic), 1);
  EXPECT_EQ(scripted.built, std::vector<std::int64_t>{1});
}

TEST(CudnnPlan, AutotuneTakesTheFastestOfThoseThatCanBeBuilt) {
  Scripted scripted{{3e-6, 4e-6, 1e-6, 2e-6}, {2}, {}};
  EXPECT_EQ(scripted.choose(Kind::autotune), 3);
}

TEST(CudnnPlan, AutotuneFallsBackToTheFirstWhereNoneCouldBeTimed) {
  const double fails = std::numeric_limits<double>::infinity();
  Scripted scripted{{fails, fails}, {0}, {}};
  EXPECT_EQ(scripted.choose(Kind::autotune), 1);
}

TEST(CudnnPlan, AnIndexIsThatPlan) {
  Scripted scripted{{3e-6, 1e-6, 2e-6}, {}, {}};
  EXPECT_EQ(scripted.choose(Kind::index, 2), 2);
  EXPECT_EQ(scripted.built, std::vector<std::int64_t>{2});
}

TEST(CudnnPlan, AnIndexBeyondTheCandidatesSaysHowManyThereAre) {
  Scripted three{{1, 1, 1}, {}, {}}, one{{1}, {}, {}}, none{{}, {}, {}};
  EXPECT_EQ(three.refusal(Kind::index, 3), "plan=3: cuDNN offers 3 plans, 0 to 2");
  EXPECT_EQ(one.refusal(Kind::index, 9), "plan=9: cuDNN offers 1 plan, 0 to 0");
  EXPECT_EQ(none.refusal(Kind::index, 0), "plan=0: cuDNN offers 0 plans");
}

TEST(CudnnPlan, AnIndexThatCannotBeBuiltGivesCudnnsReason) {
  Scripted scripted{{1, 1}, {1}, {}};
  EXPECT_EQ(scripted.refusal(Kind::index, 1), "plan=1: no engine 1");
}

TEST(CudnnPlan, WhereNoneCanBeBuiltTheLastReasonIsGiven) {
  Scripted scripted{{1, 1}, {0, 1}, {}}, none{{}, {}, {}};
  EXPECT_EQ(scripted.refusal(Kind::heuristic),
            "none of 2 plans can be built, the last because: no engine 1");
  EXPECT_EQ(scripted.refusal(Kind::autotune), scripted.refusal(Kind::heuristic));
  EXPECT_EQ(none.refusal(Kind::heuristic), "cuDNN offers 0 plans");
}

}  // namespace
}  // namespace plumbline::cudnn
