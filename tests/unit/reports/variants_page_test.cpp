#include <gtest/gtest.h>

#include "reports/devices/headline.h"
#include "reports/devices/page.h"
#include "reports/devices/texts.h"
#include "unit/reports/planted.h"
#include "unit/reports/technique_runs.h"

namespace plumbline {
namespace {

TEST(VariantsPage, TheFirstLineNamesWhatCostsAccuracy) {
  const Runs runs = technique_runs(0.06);
  const std::string sentence = devices_sentence(techniques_table(runs));
  EXPECT_TRUE(
      sentence.starts_with("One variant costs accuracy: prune=structured 6.0 points "
                           "(convolutional). A loss below 0.6 points could have stayed "
                           "unseen. graph=true is the fastest of 4"))
      << sentence;
}

TEST(VariantsPage, WhatCostsNoAccuracyIsNotNamed) {
  const Runs runs = technique_runs(0);
  EXPECT_TRUE(devices_sentence(techniques_table(runs))
                  .starts_with("No variant costs accuracy beyond what 3 seeds differ by. "
                               "graph=true is the fastest of 4"));
}

TEST(VariantsPage, AnAbsentAccuracyIsAReason) {
  Runs runs = technique_runs(0);
  for (plumbline::Run& run : runs)
    for (ResultRow& row : run.rows)
      if (row.metric == "accuracy") {
        row.status = Status::unsupported;
        row.reason = "no scikit-learn";
        row.samples = {};
      }
  EXPECT_TRUE(
      devices_sentence(techniques_table(runs))
          .starts_with("What variants cost in accuracy is not known: no scikit-learn. graph=true"));
}

TEST(VariantsPage, CopiesFromTheHostAreTheFirstPhase) {
  Runs runs = technique_runs(0);
  for (std::int64_t round = 0; round < 3; ++round)
    add_value(runs[1], "transformer/custom/batch=32/width=8", "data_time", "s", round, 2e-4);
  const DeviceTable table = techniques_table(runs);
  const auto story = std::ranges::find(table.stories, "transformer/custom/batch=32/width=8",
                                       &plumbline::CaseStory::case_id);
  ASSERT_NE(story, table.stories.end());
  EXPECT_EQ(story->variants[1].phases.front().first, "data");
  EXPECT_EQ(story->variants[0].phases.front().first, "forward");
  EXPECT_TRUE(holds(render_devices(table, ""), "<span class=\"series-5\"><i></i>data</span>"));
}

TEST(VariantsPage, AStepHasABarOfItsPhasesAndAGraphOneOfTheWhole) {
  const Runs runs = technique_runs(0.06);
  const std::string page = render_devices(techniques_table(runs), "");
  EXPECT_TRUE(holds(page, "With none, backward takes 50\u00A0% of the step."));
  EXPECT_TRUE(holds(page, R"(class="part series-2" style="width:50.00%"><b>backward</b>)"));
  EXPECT_TRUE(holds(page, "whole step: a CUDA graph has no phases"));
  EXPECT_FALSE(holds(page, "<i></i>data</span>")) << "no step copies its arguments";
  EXPECT_TRUE(holds(page, "<th scope=\"col\" class=\"num\">p99</th>"));
  EXPECT_TRUE(holds(page, "data-label=\"accuracy\">90.3\u00A0% ±\u00A00.9</td>"));
}

}  // namespace
}  // namespace plumbline
