#include "suite/select.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/pattern.h"

namespace plumbline {
namespace {

using Ids = std::vector<std::string>;

std::vector<Case> some_cases() {
  std::vector<Case> cases;
  const std::vector<std::pair<std::string, std::vector<std::string>>> kCases{
      {"softmax/libtorch/cols=128/dtype=float16", {"nightly"}},
      {"softmax/cudnn/cols=128/dtype=float16", {"quick", "nightly"}},
      {"gemm/libtorch/dtype=float32/k=8", {"quick"}},
      {"gemm/libtorch/dtype=float16/k=8", {}}};
  for (const auto& [id, tags] : kCases) {
    Case& c = cases.emplace_back();
    c.id = id;
    c.tags = tags;
  }
  return cases;
}

Ids selected(const Selection& selection) {
  Ids ids;
  for (const Case& c : select(some_cases(), selection)) ids.push_back(c.id);
  return ids;
}

std::string mistake(const Selection& selection) {
  try {
    select(some_cases(), selection);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Select, NothingAskedSelectsAllInTheirOrder) { EXPECT_EQ(selected({}).size(), 4u); }

TEST(Select, AFilterIsAPartOfTheIdOrAPatternOfTheWhole) {
  EXPECT_EQ(selected({.filters = {"float16"}, .tags = {}, .cases = {}}).size(), 3u);
  EXPECT_EQ(selected({.filters = {"gemm/*/k=?"}, .tags = {}, .cases = {}}).size(), 2u);
  EXPECT_EQ(selected({.filters = {"gemm/*/k"}, .tags = {}, .cases = {}}).size(), 0u);
}

TEST(Select, FiltersNarrowOneAnotherAndAnExclamationMarkTurnsOneRound) {
  EXPECT_EQ(selected({.filters = {"softmax", "!cudnn"}, .tags = {}, .cases = {}}),
            (Ids{"softmax/libtorch/cols=128/dtype=float16"}));
}

TEST(Select, ACaseNeedsOneOfTheTags) {
  EXPECT_EQ(selected({.filters = {}, .tags = {"quick"}, .cases = {}}).size(), 2u);
  EXPECT_EQ(selected({.filters = {}, .tags = {"quick", "nightly"}, .cases = {}}).size(), 3u);
  EXPECT_EQ(mistake({.filters = {}, .tags = {"quik"}, .cases = {}}),
            "--tag quik: no case has this tag; did you mean 'quick'?");
}

TEST(Select, AnIdSelectsExactlyItsCase) {
  const std::string id = "gemm/libtorch/dtype=float16/k=8";
  EXPECT_EQ(selected({.filters = {}, .tags = {}, .cases = {id}}), Ids{id});
}

TEST(Select, AnUnknownIdIsAnErrorThatNamesTheNearest) {
  EXPECT_EQ(mistake({.filters = {}, .tags = {}, .cases = {"softmax/cudnn/cols=129/dtype=float16"}}),
            "--case softmax/cudnn/cols=129/dtype=float16: there is no such case; the nearest is "
            "'softmax/cudnn/cols=128/dtype=float16'");
  EXPECT_EQ(nearest_id("gemm/libtorch/k=8", selected({})), "gemm/libtorch/dtype=float32/k=8");
}

TEST(Pattern, StarsAndQuestionMarksMatchTheWholeText) {
  EXPECT_TRUE(matches_pattern("softmax/cudnn", "*max/c*n"));
  EXPECT_TRUE(matches_pattern("", "*"));
  EXPECT_TRUE(matches_pattern("aab", "*ab"));
  EXPECT_TRUE(matches_pattern("a.c", "a?c"));
  EXPECT_FALSE(matches_pattern("abc", "ab"));
  EXPECT_FALSE(matches_pattern("", "?"));
}

}  // namespace
}  // namespace plumbline
