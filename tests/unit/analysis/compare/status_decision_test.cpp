#include "analysis/compare/status_decision.h"

#include <map>

#include "unit/analysis/compared.h"

namespace plumbline {
namespace {

using planted::add_case;
using planted::add_status;
using StatusDecision = Compared;

constexpr const char* kCase = "gemm/libtorch/m=1";

/// A case with that status in a run; no case if it is "absent".
void plant(Run& run, std::string_view status) {
  if (status == "absent") return;
  const Status planted = *status_named(status);
  if (!has_samples(planted)) return add_status(run, kCase, planted, "why");
  add_case(run, kCase, 1e-5);
  for (ResultRow& row : run.rows)
    if (row.case_id == kCase) row.status = planted;
}

/// The verdict, or "" if there is none.
std::string verdict_on(std::string_view baseline, std::string_view candidate) {
  Run before = planted::run_on("NVIDIA H200"), after = before;
  plant(before, baseline);
  plant(after, candidate);
  const Comparison found = compare(before, after, default_rule("cuda"));
  return found.findings.empty() ? "" : std::string(name_of(found.findings.at(0).verdict));
}

TEST(StatusDecision_, EveryChangeOfAStatusIsToldOrDeliberatelySilent) {
  // Statuses with the same result.
  const std::map<std::string_view, std::vector<std::string_view>> kAlike{
      {"absent", {"absent"}},
      {"EXCLUDED", {"EXCLUDED"}},
      {"UNSUPPORTED", {"UNSUPPORTED"}},
      {"open", {"THROTTLED", "INTERRUPTED"}},
      {"failed", {"WRONG", "CRASHED", "TIMEOUT", "OUT_OF_MEMORY"}},
      {"measured", {"OK", "UNVERIFIED"}}};
  using Outcomes = std::map<std::string_view, std::string_view>;
  const Outcomes kLeftOut{{"absent", ""},         {"EXCLUDED", ""},         {"UNSUPPORTED", ""},
                          {"open", "NOT_JUDGED"}, {"failed", "NOT_JUDGED"}, {"measured", "NEW"}};
  const std::map<std::string_view, Outcomes> kExpected{{"absent",
                                                        {{"EXCLUDED", ""},
                                                         {"UNSUPPORTED", ""},
                                                         {"open", "NOT_JUDGED"},
                                                         {"failed", "NOT_JUDGED"},
                                                         {"measured", "NEW"}}},
                                                       {"EXCLUDED", kLeftOut},
                                                       {"UNSUPPORTED", kLeftOut},
                                                       {"open",
                                                        {{"absent", "MISSING"},
                                                         {"EXCLUDED", ""},
                                                         {"UNSUPPORTED", "MISSING"},
                                                         {"open", "NOT_JUDGED"},
                                                         {"failed", "NOT_JUDGED"},
                                                         {"measured", "NOT_JUDGED"}}},
                                                       {"failed",
                                                        {{"absent", "MISSING"},
                                                         {"EXCLUDED", ""},
                                                         {"UNSUPPORTED", "MISSING"},
                                                         {"open", "NOT_JUDGED"},
                                                         {"failed", "NOT_JUDGED"},
                                                         {"measured", "FIXED"}}},
                                                       {"measured",
                                                        {{"absent", "MISSING"},
                                                         {"EXCLUDED", "MISSING"},
                                                         {"UNSUPPORTED", "MISSING"},
                                                         {"open", "NOT_JUDGED"},
                                                         {"failed", "BROKEN"},
                                                         {"measured", "SAME"}}}};
  std::size_t statuses = 0;
  for (const auto& [was, outcomes] : kExpected) {
    statuses += kAlike.at(was).size();
    for (const auto& [is, verdict] : outcomes)
      for (const std::string_view before : kAlike.at(was))
        for (const std::string_view after : kAlike.at(is))
          // Nobody has checked that the wrong result is now right.
          EXPECT_EQ(verdict_on(before, after),
                    before == "WRONG" && after == "UNVERIFIED" ? "NOT_JUDGED" : verdict)
              << before << " -> " << after;
  }
  EXPECT_EQ(statuses, kStatusNames.size() + 1) << "a status is in no row";
}

TEST_F(StatusDecision, WhatCrashedAndIsUnsupportedNowIsMissingWithBothReasons) {
  add_status(before, kCase, Status::crashed, "signal 11");
  add_status(after, kCase, Status::unsupported, "no kernel");
  const Comparison found = compared();
  EXPECT_EQ(finding(found, kCase).verdict, Verdict::missing);
  EXPECT_EQ(finding(found, kCase).reason,
            "UNSUPPORTED: no kernel; was CRASHED: round 0: signal 11");
  EXPECT_EQ(exit_code(found), 3);
}

TEST_F(StatusDecision, WhatWasUnsupportedAndFailsIsNotJudgedWithBothReasons) {
  add_status(before, kCase, Status::unsupported, "no kernel");
  add_status(after, kCase, Status::wrong, "error 0.5");
  EXPECT_EQ(finding(compared(), kCase).reason,
            "WRONG: round 0: error 0.5; the baseline has no result of it: UNSUPPORTED: no kernel");
}

TEST_F(StatusDecision, WhatWasWrongAndCannotBeVerifiedNowIsNoFix) {
  for (auto* run : {&before, &after})
    for (ResultRow& row : run->rows)
      if (row.case_id == "softmax/libtorch/n=3") {
        row.status = run == &before ? Status::wrong : Status::unverified;
        row.reason = run == &before ? "error 0.5" : "no reference";
      }
  const Finding found = finding(compared(), "softmax/libtorch/n=3");
  EXPECT_EQ(found.verdict, Verdict::not_judged);
  EXPECT_NE(found.reason.find("was WRONG"), std::string::npos) << found.reason;
  EXPECT_NE(found.reason.find("UNVERIFIED: no reference"), std::string::npos) << found.reason;
}

TEST_F(StatusDecision, WhatIsNoLongerVerifiedIsNoted) {
  for (ResultRow& row : after.rows)
    if (row.case_id == "softmax/libtorch/n=3" || row.case_id == "softmax/libtorch/n=4") {
      row.status = Status::unverified;
      row.reason = "no reference";
    }
  const Comparison found = compared();
  EXPECT_EQ(found.notes.at(0),
            "softmax/libtorch/n=3 and 1 more are measured and no longer verified (UNVERIFIED: no "
            "reference); OK in the baseline.");
  EXPECT_EQ(found.count(Verdict::same), 10u);
  std::swap(before, after);
  EXPECT_EQ(compared().notes.size(), found.notes.size() - 1) << "the reverse is no news";
}

TEST_F(StatusDecision, SidesThatMeasuredNothingSayWhy) {
  for (auto* run : {&before, &after}) {
    run->rows.clear();
    add_status(*run, kCase, Status::unsupported, "no kernel");
  }
  const Comparison found = compared();
  EXPECT_TRUE(found.findings.empty());
  EXPECT_EQ(found.notes.at(0), "Neither side measured a case. The first of 1 case: " +
                                   std::string(kCase) + " is UNSUPPORTED: no kernel.");
  EXPECT_EQ(exit_code(found), 3);
}

}  // namespace
}  // namespace plumbline
