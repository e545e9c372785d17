#include "reports/devices/variants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "reports/devices/headline.h"
#include "reports/devices/story.h"

namespace plumbline {
namespace {

using Runs = std::vector<Run>;
using Lines = std::vector<std::vector<std::string>>;

/// Replaces non-breaking blanks by plain ones.
std::string plain(std::string text) {
  const std::string fixed = "\u00A0";
  for (std::size_t at = 0; (at = text.find(fixed, at)) != text.npos;)
    text.replace(at, fixed.size(), " ");
  return text;
}

/// A run of one case, `time` seconds in its only visit, with a peak memory of 1 kB.
Run one_case(const std::string& path, double time) {
  Run run;
  run.path = path;
  run.info.environment.device_class = "A";
  for (const auto& [metric, unit, value] :
       {std::tuple("gpu_time_cold", "s", time), std::tuple("peak_memory", "B", 1000.0)}) {
    ResultRow& row = run.rows.emplace_back();
    row.suite = "s";
    row.case_id = "a_b/custom/rows=8";
    row.revision = "1";
    row.metric = metric;
    row.unit = unit;
    row.flops = 1e6;
    row.bytes = 1e3;
    row.error_rel_l2 = 1e-4;
    row.tolerance = 1e-3;
    row.samples.add_block(std::array{value});
  }
  return run;
}

TEST(VariantCases, HaveALineForEachMetricItsRatesAndTheError) {
  const Runs runs{one_case("r", 2e-3), one_case("r", 1e-3)};
  const DeviceTable table = device_table(runs, {.variants = {"naive", "tiled"}});
  EXPECT_EQ(variants_header(table), std::vector<std::string>({"", "naive", "tiled", "won"}));
  std::vector<VariantCase> cases = variant_cases(table);
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].case_id, "a_b/custom/rows=8");
  for (auto& line : cases[0].lines) std::ranges::transform(line, line.begin(), plain);
  EXPECT_EQ(cases[0].lines,
            Lines({{"gpu_time_cold", "2.00 ms", "1.00 ms", "×2.00"},
                   {"  FLOP/s", "500 MFLOP/s", "1.000 GFLOP/s", ""},
                   {"  bytes/s", "0.500 MB/s", "1.000 MB/s", ""},
                   {"error (relative L2)", "0.0001 of 0.001", "0.0001 of 0.001", ""},
                   {"peak_memory", "1.000 kB", "1.000 kB", "×1.00"}}));
}

TEST(VariantCases, MarkdownHasTheSameLinesAndEscapesNames) {
  const Runs runs{one_case("r", 2e-3), one_case("r", 1e-3)};
  const std::string text = plain(
      variants_markdown(device_table(runs, {.variants = {"b=1", "b=2"}, .reference = "b=2"})));
  EXPECT_NE(text.find("\n### a\\_b/custom/rows=8\n\n|  | b=1 | won | b=2 |\n|---|--:|--:|--:|\n"
                      "| gpu\\_time\\_cold | 2.00 ms | ×0.500 | 1.00 ms |\n"),
            std::string::npos)
      << text;
}

TEST(VariantStory, RanksHaveTheirShareOfTheFactor) {
  const Runs runs{one_case("r", 9e-3), one_case("r", 5e-3), one_case("r", 9e-3)};
  const PageData story = story_data(
      device_table(runs, {.variants = {"none", "ranks=2, bucket_mb=1", "precision=tf32"}}));
  const PageData& told = story["cases"][0];
  EXPECT_EQ(told["header"][2], "scaling efficiency");
  std::vector<std::string> found;
  for (const PageData& variant : told["variants"])
    found.push_back(plain(variant["cells"][2]["text"].get<std::string>()));
  EXPECT_EQ(found, std::vector<std::string>({"", "90 %", ""}));
}

TEST(VariantStory, WithoutRanksNothingScales) {
  const Runs runs{one_case("r", 2e-3), one_case("r", 1e-3)};
  const PageData story = story_data(device_table(runs, {.variants = {"naive", "tiled"}}));
  for (const PageData& name : story["cases"][0]["header"]) EXPECT_NE(name, "scaling efficiency");
}

TEST(VariantCases, ASingleCaseIsNoneOfOne) {
  Runs runs{one_case("r", 1e-3), one_case("r", 1.02e-3)};
  for (plumbline::Run& run : runs) {
    run.rows.resize(1);
    ResultRow& again = run.rows.emplace_back(run.rows.front());
    again.round = 1;
    again.samples = {};
    again.samples.add_block(std::array{1.1e-3});
  }
  EXPECT_EQ(plain(devices_sentence(device_table(runs, {.variants = {"a", "b"}}))),
            "b is 0.99 % slower than a. The difference lies within its interval.");
}

TEST(VariantCases, WhatIntervalsAreOverIsOneRunOrSeveral) {
  for (const auto& [path, words] : {std::pair("r", "over visits of one run, in which all of them"),
                                    std::pair("q", "over visits of these runs; what whole runs")}) {
    Runs runs{one_case("r", 2e-3), one_case(path, 1e-3)};
    for (plumbline::Run& run : runs) {
      run.rows.push_back(run.rows.front());
      run.rows.back().round = 1;
    }
    const auto caveats = devices_caveats(device_table(runs, {.variants = {"a", "b"}}));
    EXPECT_TRUE(std::ranges::any_of(caveats, [&](const std::string& text) {
      return text.find(words) != text.npos;
    })) << words;
  }
}

}  // namespace
}  // namespace plumbline
