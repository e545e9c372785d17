#include "schedule/shards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "core/error.h"
#include "scripted_world.h"

namespace plumbline {
namespace {

std::vector<std::size_t> sizes_of(const std::vector<std::size_t>& shard_of, std::size_t count) {
  std::vector<std::size_t> sizes(count, 0);
  for (const std::size_t shard : shard_of) ++sizes.at(shard);
  return sizes;
}

/// Seconds of case i: a few long ones, as suites have them.
double cost_s(std::size_t i) { return i % 17 == 0 ? 60 : 1 + double(i % 7); }

CaseCosts costs_of(std::span<const Case> cases) {
  CaseCosts costs;
  for (std::size_t i = 0; i < cases.size(); ++i)
    costs[{cases[i].suite, cases[i].id}] = {cost_s(i), "GPU-1"};
  return costs;
}

std::vector<double> loads_of(std::span<const Case> cases, const std::vector<std::size_t>& shard_of,
                             const CaseCosts& costs, std::size_t count) {
  std::vector<double> loads(count, 0);
  for (std::size_t i = 0; i < cases.size(); ++i)
    loads[shard_of[i]] += costs.at({cases[i].suite, cases[i].id}).seconds;
  return loads;
}

TEST(Shards, NumbersAreReadAndOthersRefused) {
  EXPECT_EQ(shard_number("3/8"), (ShardNumber{3, 8}));
  EXPECT_EQ(text_of({3, 8}), "3/8");
  for (const char* text : {"", "3", "3/", "/8", "0/8", "9/8", "3/8 ", "-1/8", "a/b", "3/8/2"})
    EXPECT_EQ(shard_number(text), std::nullopt) << text;
}

TEST(Shards, WithoutCostsAllHaveTheSameNumberOfCases) {
  const auto cases = make_cases(200);
  for (const std::size_t count : {1, 3, 7, 199, 200})
    for (const std::size_t size : sizes_of(shards_of(cases, count), count))
      EXPECT_NEAR(double(size), 200. / double(count), 1) << count;
}

TEST(Shards, WithoutCostsOneCaseMoreMovesFewOthers) {
  auto cases = make_cases(100);
  const auto before = shards_of(cases, 8);
  cases.insert(cases.begin() + 40, make_case("added"));
  auto after = shards_of(cases, 8);
  after.erase(after.begin() + 40);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moved += before[i] != after[i];
  EXPECT_LE(moved, 7u);
}

TEST(Shards, WithCostsAllTakeAboutTheSameTime) {
  const auto cases = make_cases(300);
  const CaseCosts costs = costs_of(cases);
  for (const std::size_t count : {2, 5, 16}) {
    const auto loads = loads_of(cases, shards_of(cases, count, costs), costs, count);
    const double mean = std::accumulate(loads.begin(), loads.end(), 0.) / double(count);
    EXPECT_LE(std::ranges::max(loads), 1.02 * mean) << count;
    const auto unbalanced = loads_of(cases, shards_of(cases, count), costs, count);
    EXPECT_GT(std::ranges::max(unbalanced), std::ranges::max(loads)) << count;
  }
}

TEST(Shards, WithCostsACaseMoreMovesNone) {
  auto cases = make_cases(100);
  const CaseCosts costs = costs_of(cases);
  const auto before = shards_of(cases, 8, costs);
  cases.insert(cases.begin() + 40, make_case("added"));
  auto after = shards_of(cases, 8, costs);
  after.erase(after.begin() + 40);
  EXPECT_EQ(before, after);
}

TEST(Shards, TheOrderOfTheCasesDoesNotMatter) {
  auto cases = make_cases(100);
  const CaseCosts costs = costs_of(cases);
  for (const CaseCosts& known : {CaseCosts{}, costs}) {
    std::map<std::string, std::size_t> before;
    auto shard_of = shards_of(cases, 8, known);
    for (std::size_t i = 0; i < cases.size(); ++i) before[cases[i].id] = shard_of[i];
    std::shuffle(cases.begin(), cases.end(), std::mt19937(1));
    shard_of = shards_of(cases, 8, known);
    for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(before[cases[i].id], shard_of[i]);
  }
}

TEST(Shards, EachMeasuresACase) {
  auto cases = make_cases(40);
  for (std::size_t i = 0; i < 30; ++i) cases[i].unsupported = "not here";
  for (const CaseCosts& costs : {CaseCosts{}, costs_of(cases)}) {
    const auto shard_of = shards_of(cases, 10, costs);
    std::vector<std::size_t> runnable(shard_of.begin() + 30, shard_of.end());
    EXPECT_EQ(sizes_of(runnable, 10), std::vector<std::size_t>(10, 1));
    EXPECT_THROW(shards_of(cases, 11, costs), Error);
  }
}

}  // namespace
}  // namespace plumbline
