// The picture of a comparison's changes, and the commands that it suggests.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "reports/sections/findings/commands.h"
#include "reports/sections/findings/selected.h"
#include "unit/reports/planted.h"

namespace plumbline {
namespace {

std::string forest_of(const ReportInput& input) {
  const std::string page = render_report(input);
  const std::size_t from = page.find("<section id=\"forest\"");
  return from == std::string::npos ? "" : page.substr(from, page.find("</section>", from) - from);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// Positions of the rows' dots, out of 1000.
std::vector<double> dots_of(const std::string& forest) {
  std::vector<double> places;
  const std::regex dot("class=\"dot\" d=\"M([0-9.]+) ");
  for (std::sregex_iterator i(forest.begin(), forest.end(), dot), end; i != end; ++i)
    places.push_back(std::stod((*i)[1]));
  return places;
}

TEST(Forest, ACauseIsARowWithItsCasesBelowAndTheWorstOpens) {
  const SlowerRegion region;
  const std::string forest = forest_of(region.input());
  EXPECT_TRUE(holds(forest, "What changed"));
  EXPECT_TRUE(holds(forest, "softmax"));
  EXPECT_EQ(count(forest, "<tr class="), dots_of(forest).size());
  EXPECT_TRUE(holds(forest, "href=\"#case="));
}

TEST(Forest, SlowerLiesRightOfZeroAndFasterLeftInOneScale) {
  SyntheticRun source{SyntheticShape{.cases = 40}};
  const plumbline::Run before = source.make(1, [](std::size_t) { return 1.0; });
  const plumbline::Run after = source.make(2, [](std::size_t i) {
    return i == 3 ? 1.2 : i == 9 ? 0.9 : 1.0;
  });
  const Comparison comparison = compare(before, after, default_rule("cuda"));
  const std::string forest = forest_of({&after, &before, &comparison});
  const std::vector<double> dots = dots_of(forest);
  ASSERT_EQ(dots.size(), 2U) << forest;
  std::smatch zero;
  ASSERT_TRUE(std::regex_search(forest, zero, std::regex("class=\"zero\" d=\"M([0-9.]+) ")));
  const double at = std::stod(zero[1]);
  EXPECT_NEAR((dots[0] - at) / (at - dots[1]), 2.0, 0.1) << "20 % right, 10 % left";
}

TEST(Forest, WithoutAChangeTheCasesThatMovedMostAreShown) {
  SyntheticRun source{SyntheticShape{.cases = 40}};
  const plumbline::Run before = source.make(1, [](std::size_t) { return 1.0; });
  const plumbline::Run after = source.make(2, [](std::size_t) { return 1.0; });
  const Comparison comparison = compare(before, after, default_rule("cuda"));
  const std::string forest = forest_of({&after, &before, &comparison});
  EXPECT_TRUE(holds(forest, "The 8 cases that moved most."));
  EXPECT_EQ(dots_of(forest).size(), 8U);
  EXPECT_EQ(forest_of({&after}), "");
}

TEST(Forest, AShiftOfTheRunIsTheFirstRow) {
  Planted some;
  some.comparison.shift = RunShift{0.36, 0.35, 0.37, 79, RunPart::whole, 80};
  const std::string forest = forest_of(some.input());
  EXPECT_TRUE(holds(forest, "the cases after this shift is removed"));
  EXPECT_LT(forest.find("the whole run"), forest.find("href=\"#case="));
  EXPECT_TRUE(holds(forest, "+36"));
}

TEST(NextSteps, OfWhatIsSlowerBeginWithPairsAndEndWithAccepting) {
  Planted some;
  for (RunInfo* info :
       {&some.comparison.baseline, &some.comparison.candidate, &some.candidate.info})
    info->environment.commit =
        info == &some.comparison.baseline ? "aaaa0000bbbb1111" : "cccc0000dddd1111";
  some.comparison.candidate.environment.dirty = false;
  const ReportInput input = some.input();
  const ReportModel model = make_model(input);
  const Cards cards = make_cards(model, 40);
  const auto slower = std::ranges::find_if(
      cards.cards, [](const Card& card) { return card.view->label.tone == "slower"; });
  ASSERT_NE(slower, cards.cards.end());
  const std::vector<NextStep> steps = next_steps(model, *slower);
  ASSERT_EQ(steps.size(), 5U);
  const std::string id(slower->view->id);
  EXPECT_TRUE(steps[0].command.starts_with("plumbline ab aaaa0000bbbb cccc0000dddd "))
      << steps[0].command;
  EXPECT_TRUE(holds(steps[0].command, "--case")) << steps[0].command;
  EXPECT_TRUE(holds(steps[1].command, "plumbline profile "));
  EXPECT_EQ(steps[2].command, "git log --oneline aaaa0000bbbb..cccc0000dddd");
  EXPECT_TRUE(holds(steps[3].command, "--until ")) << steps[3].command;
  EXPECT_EQ(steps[4].purpose, "accept all: hides 1 slowdown from now on");
  EXPECT_TRUE(holds(steps[4].command, "plumbline accept "));
}

/// Ids that a command with these words measures, chosen as in harness/suite/select.cpp.
std::set<std::string> measured_by(const std::vector<std::string>& words,
                                  const std::set<std::string>& all) {
  std::set<std::string> left;
  for (const std::string& id : all) {
    bool fits = true, is_named = false, has_names = false;
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
      const std::string& word = words[i + 1];
      const bool is_not = word.starts_with('!');
      if (words[i] == "--filter") fits &= holds(id, word.substr(is_not)) != is_not;
      if (words[i] == "--case") has_names = true, is_named |= id == word;
    }
    if (fits && (!has_names || is_named)) left.insert(id);
  }
  return left;
}

TEST(NextSteps, OfManyCasesTheCommandSelectsExactlyThemOrSaysHowMany) {
  const SlowerRegion region;
  const ReportInput input = region.input();
  const ReportModel model = make_model(input);
  std::set<std::string> all;
  for (const CaseView& view : model.cases) all.emplace(view.id);
  Card card;
  std::set<std::string> wanted;
  for (const CaseView& view : model.cases)
    if (holds(std::string(view.id), "dtype=bfloat16")) {
      card.view = &view;
      card.cases.push_back(&view);
      wanted.emplace(view.id);
    }
  ASSERT_GT(wanted.size(), 12U);
  const Selected exact = selected_cases(model, card);
  EXPECT_EQ(exact.words.at(0), "--filter");
  EXPECT_EQ(exact.said, "");
  EXPECT_EQ(measured_by(exact.words, all), wanted);

  SyntheticRun crossed{SyntheticShape{.cases = 1}};
  plumbline::Run run = crossed.make(1, [](std::size_t) { return 1.0; });
  const ResultRow row = run.rows.front();
  run.rows.clear();
  for (int m = 0; m < 6; ++m)
    for (int n = 0; n < 6; ++n) {
      run.rows.push_back(row);
      run.rows.back().case_id = fmt::format("gemm/libtorch/m={}/n={}", m, n);
    }
  run.info.suites.clear();
  const ReportInput alone{&run};
  const ReportModel of_crossed = make_model(alone);
  all.clear();
  card.cases.clear();
  for (std::size_t i = 0; i < of_crossed.cases.size(); ++i) {
    all.emplace(of_crossed.cases[i].id);
    if ((i / 6 + i) % 2 == 0) card.cases.push_back(&of_crossed.cases[i]);  // as on a chessboard
  }
  card.view = card.cases.front();
  const Selected some = selected_cases(of_crossed, card);
  EXPECT_EQ(some.words.size(), 2 * 12U);
  EXPECT_TRUE(some.said.starts_with(": 12 of its 18 cases")) << some.said;
  EXPECT_EQ(measured_by(some.words, all).size(), 12U);
}

TEST(NextSteps, WithoutTheBaselinesCommitThereAreNoPairsToAskFor) {
  Planted some;
  some.comparison.baseline.environment.commit = "";
  const ReportInput input = some.input();
  const ReportModel model = make_model(input);
  for (const Card& card : make_cards(model, 40).cards)
    for (const NextStep& step : next_steps(model, card))
      EXPECT_FALSE(holds(step.command, "plumbline ab")) << step.command;
}

TEST(NextSteps, OfWhatIsBrokenIsMeasuredAgain) {
  const Planted some;
  const ReportInput input = some.input();
  const ReportModel model = make_model(input);
  const std::vector<NextStep> steps = next_steps(model, make_cards(model, 1).cards.at(0));
  EXPECT_EQ(steps.at(0).purpose, "measure again");
  EXPECT_TRUE(holds(steps.at(1).command, "--tool sanitizer"));
}

}  // namespace
}  // namespace plumbline
