#include "core/op/plan_choice.h"

#include <gtest/gtest.h>

#include "core/run/case.h"

namespace plumbline {
namespace {

using Kind = PlanChoice::Kind;

TEST(PlanChoice, IsTheHeuristicsWhereNothingIsSaid) {
  EXPECT_EQ(plan_choice({}).kind, Kind::heuristic);
  EXPECT_EQ(plan_choice({{"plan", "heuristic"}}).kind, Kind::heuristic);
}

TEST(PlanChoice, IsAutotuneOrAnIndex) {
  EXPECT_EQ(plan_choice({{"plan", "autotune"}}).kind, Kind::autotune);
  const PlanChoice choice = plan_choice({{"plan", "17"}});
  EXPECT_EQ(choice.kind, Kind::index);
  EXPECT_EQ(choice.index, 17);
}

TEST(PlanChoice, IsOfBackendsThatHavePlans) {
  EXPECT_EQ(unplannable("cudnn", {{"plan", "3"}}), "");
  EXPECT_EQ(unplannable("custom", {{"plan", "3"}}), "");
  EXPECT_EQ(unplannable("libtorch", {{"plan", "heuristic"}}), "");
  EXPECT_EQ(unplannable("libtorch", {}), "");
  EXPECT_EQ(
      unplannable("libtorch", {{"plan", "autotune"}}),
      "plan=autotune is a choice among the plans of cudnn and custom; libtorch chooses by itself");
}

TEST(PlanChoice, IsNoPartOfTheProblem) {
  Case heuristic, other;
  heuristic.name = other.name = "conv2d";
  heuristic.id = case_id("conv2d", "cudnn", {{"dtype", "float16"}});
  other.id = case_id("conv2d", "cudnn", {{"dtype", "float16"}, {"plan", "3"}});
  EXPECT_NE(heuristic.id, other.id);
  EXPECT_EQ(problem_seed(heuristic, 7), problem_seed(other, 7));
}

}  // namespace
}  // namespace plumbline
