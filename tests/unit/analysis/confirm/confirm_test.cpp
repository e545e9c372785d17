#include "analysis/confirm/confirm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/compare/case_matching.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

std::string id_of(int i) { return "op/libtorch/n=" + std::to_string(i); }

/// 300 cases; in the candidate the first ten are slower by 4 %.
struct Screened {
  Run baseline = planted::run_on("NVIDIA H200"), candidate = planted::run_on("NVIDIA H200");
  Comparison comparison;

  explicit Screened(double factor = 1.04) {
    for (int i = 0; i < 300; ++i) {
      planted::add_case(baseline, id_of(i), 1e-4);
      planted::add_case(candidate, id_of(i), 1e-4 * (i < 10 ? factor : 1));
    }
    comparison = compare(baseline, candidate, default_rule("cuda"));
  }
};

TEST(CasesInDoubt, AreThoseThatLookChangedAndAShareOfTheOthers) {
  const Screened screened;
  const Doubts doubts = cases_in_doubt(screened.comparison, {}, 1);
  EXPECT_EQ(doubts.flagged.size(), 10u);
  EXPECT_TRUE(doubts.flagged.contains({"quick", id_of(9)}));
  const Doubts many = cases_in_doubt(screened.comparison, {.audit_share = 0.2}, 1);
  EXPECT_NEAR(double(many.audited.size()), 58, 25);  // 3.6 standard deviations
  for (const CaseKey& key : many.audited) EXPECT_FALSE(many.flagged.contains(key));
  EXPECT_EQ(many.all().size(), many.audited.size() + many.flagged.size());
}

TEST(CasesInDoubt, TheAuditFollowsFromTheSeedAndIsNeverEmptyWhereNothingIsFlagged) {
  const Screened screened(1);
  const ScreenRule some{.audit_share = 0.2};
  EXPECT_EQ(cases_in_doubt(screened.comparison, some, 1).audited,
            cases_in_doubt(screened.comparison, some, 1).audited);
  EXPECT_NE(cases_in_doubt(screened.comparison, some, 1).audited,
            cases_in_doubt(screened.comparison, some, 2).audited);
  const Doubts quiet = cases_in_doubt(screened.comparison, {.audit_share = 0}, 1);
  EXPECT_TRUE(quiet.flagged.empty());
  EXPECT_EQ(quiet.audited.size(), 1u);
}

/// Twelve pairs of the first ten cases: B is slower by `effect`, and both by `drift`.
struct Pairs {
  Run a = planted::run_on("NVIDIA H200"), b = planted::run_on("NVIDIA H200");
  PairedTrial trial{default_paired_rule("cuda"), {}};

  Pairs(double effect, double drift) {
    for (int i = 0; i < 10; ++i)
      for (int pair = 0; pair < 12; ++pair) {
        const double process = 1 + 0.001 * ((pair * 7 + i) % 5 - 2);
        for (int visit = 0; visit < 2; ++visit) {
          planted::add_visit(a, id_of(i), pair, 1e-4 * (1 + drift));
          planted::add_visit(b, id_of(i), pair, 1e-4 * (1 + drift) * (1 + effect) * process);
        }
      }
    trial.look_at(a, b, 0);
  }

  std::array<Run, 2> runs() const { return {a, b}; }
};

const Finding& finding_of(const Comparison& comparison, const std::string& id) {
  for (const Finding& finding : comparison.findings)
    if (finding.case_id == id) return finding;
  throw std::runtime_error(id);
}

TEST(Confirm, TheSizeOfAChangeIsThatOfThePairs) {
  Screened screened;
  const Pairs pairs(0.03, 0);
  confirm(screened.comparison, cases_in_doubt(screened.comparison, {}, 1), pairs.trial,
          pairs.runs());
  const Finding& finding = finding_of(screened.comparison, id_of(3));
  EXPECT_EQ(finding.verdict, Verdict::slower);
  EXPECT_NEAR(*finding.change, 0.03, 0.002);
  EXPECT_NEAR(*finding.screened, 0.04, 0.002);
  EXPECT_NEAR(*changed_to(finding) / *changed_from(finding), 1.03, 0.002);  // beside the +3 %
  EXPECT_NEAR(*changed_to(finding) / *finding.candidate, 1.03 / 1.04, 0.002);
  EXPECT_EQ(finding.pairs, 12u);
  EXPECT_EQ(screened.comparison.count(Verdict::slower), 10u);
}

TEST(Confirm, WhatTheBaselinesSideShowsTooIsTheEnvironments) {
  Screened screened;
  const Pairs pairs(0, 0.04);
  confirm(screened.comparison, cases_in_doubt(screened.comparison, {}, 1), pairs.trial,
          pairs.runs());
  const Finding& finding = finding_of(screened.comparison, id_of(3));
  EXPECT_EQ(finding.verdict, Verdict::same);
  EXPECT_NE(finding.reason.find("side measures +4.0 % today"), std::string::npos) << finding.reason;
  EXPECT_EQ(exit_code(screened.comparison), 0);
  EXPECT_NE(screened.comparison.notes.back().find("The environment moved"), std::string::npos);
}

/// Pairs of two cases at the first look: 0 is slower by 30 %, 1 scatters by 3 % around `effect`.
struct WithBystander {
  Run a = planted::run_on("NVIDIA H200"), b = planted::run_on("NVIDIA H200");
  PairedTrial trial;

  WithBystander(double effect, std::set<CaseKey> bystanders)
      : trial(default_paired_rule("cuda"), {}, std::move(bystanders)) {
    const std::vector<double> scatter{-0.03, 0.03, 0.001};
    for (int pair = 0; pair < 3; ++pair)
      for (int visit = 0; visit < 2; ++visit) {
        for (int i = 0; i < 2; ++i) planted::add_visit(a, id_of(i), pair, 1e-4);
        planted::add_visit(b, id_of(0), pair, 1.3e-4 * (1 + 1e-4 * pair));
        planted::add_visit(b, id_of(1), pair, 1e-4 * (1 + effect) * (1 + scatter[pair]));
      }
    trial.look_at(a, b, 0);
  }
};

TEST(PairedTrial, ACaseThatWasDrawnAtRandomAloneIsMeasuredNoLonger) {
  const CaseKey drawn{"quick", id_of(1)};
  EXPECT_FALSE(WithBystander(0, {}).trial.is_done());
  EXPECT_TRUE(WithBystander(0, {}).trial.is_open(drawn));
  const WithBystander idle(0, {drawn});
  EXPECT_TRUE(idle.trial.is_done());
  Screened screened(1);
  for (Finding& finding : screened.comparison.findings) finding.verdict = Verdict::same;
  idle.trial.apply(screened.comparison);
  EXPECT_EQ(finding_of(screened.comparison, id_of(0)).verdict, Verdict::slower);
  EXPECT_EQ(finding_of(screened.comparison, id_of(1)).verdict, Verdict::same);  // of the two runs
  EXPECT_EQ(finding_of(screened.comparison, id_of(1)).pairs, 0u);
}

TEST(PairedTrial, ACaseThatWasDrawnAtRandomAndSeemsToChangeIsMeasuredOn) {
  const CaseKey drawn{"quick", id_of(1)};
  const WithBystander changing(0.5, {drawn});
  EXPECT_EQ(changing.trial.is_done(), !changing.trial.is_open(drawn));
  Screened screened(1);
  changing.trial.apply(screened.comparison);
  EXPECT_EQ(finding_of(screened.comparison, id_of(1)).pairs, 3u);
}

/// Twelve cases of two backends, all slower by 4 %: the run has shifted, but no single case.
Comparison shifted_run() {
  Run baseline = planted::run_on("NVIDIA H200"), candidate = baseline;
  for (int i = 0; i < 12; ++i) {
    planted::add_case(baseline, id_of(i), 1e-4);
    planted::add_case(candidate, id_of(i), 1.04e-4);
  }
  for (Run* run : {&baseline, &candidate})
    for (std::size_t i = 0; i < run->rows.size() / 2; ++i) run->rows[i].backend = "cudnn";
  return compare(baseline, candidate, default_rule("cuda"));
}

TEST(Confirm, WhatASideShowsThatIsNotWhatWasAcceptedIsNotSaidToBeTheEnvironments) {
  Screened screened;
  const Pairs pairs(0, 0.04);
  SideCode code;
  for (int i = 0; i < 40; ++i) code.not_accepted[{"quick", id_of(i)}] = "main is another";
  confirm(screened.comparison, cases_in_doubt(screened.comparison, {}, 1), pairs.trial,
          pairs.runs(), code);
  for (const std::string& note : screened.comparison.notes)
    EXPECT_EQ(note.find("The environment moved"), std::string::npos) << note;
}

TEST(Confirm, PairsTellWhetherAShiftIsTheBuildsOrTheEnvironments) {
  for (const bool is_of_build : {true, false}) {
    Comparison made = shifted_run();
    ASSERT_TRUE(made.shift);
    const Doubts doubts = cases_in_doubt(made, {.shift_cases = 12}, 1);
    EXPECT_TRUE(doubts.flagged.empty());
    EXPECT_EQ(doubts.shifted.size(), 12u);
    EXPECT_EQ(cases_in_doubt(made, {}, 1).shifted.size(), 3u);
    const Pairs pairs(is_of_build ? 0.04 : 0, is_of_build ? 0 : 0.04);
    confirm(made, doubts, pairs.trial, pairs.runs());
    EXPECT_EQ(exit_code(made), is_of_build ? 1 : 3);
    std::string notes;
    for (const std::string& note : made.notes) notes += note + '\n';
    EXPECT_NE(
        notes.find(is_of_build ? "whole run (+4.0 %) is the sides': of 10 of its cases, drawn "
                                 "at random, 10 differ in pairs."
                               : "whole run (+4.0 %) is the environment's: of 10 of its cases, "
                                 "drawn at random, none differs in pairs."),
        std::string::npos)
        << notes;
  }
}

TEST(Confirm, AnUnconfirmedChangeStaysVisible) {
  Screened screened;
  const Pairs pairs(0, 0);
  confirm(screened.comparison, cases_in_doubt(screened.comparison, {}, 1), pairs.trial,
          pairs.runs());
  const Finding& finding = finding_of(screened.comparison, id_of(0));
  EXPECT_EQ(finding.verdict, Verdict::same);
  EXPECT_NEAR(*finding.screened, 0.04, 0.002);
  EXPECT_NE(finding.reason.find("looked +4.0 %"), std::string::npos) << finding.reason;
}

}  // namespace
}  // namespace plumbline
