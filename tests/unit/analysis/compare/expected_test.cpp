#include "analysis/compare/expected.h"

#include <gtest/gtest.h>

#include "unit/analysis/compared.h"

namespace plumbline {
namespace {

using planted::add_case;
using planted::add_status;

constexpr const char* kCase = "pool/libtorch/n=1";

ExpectedFailure expect(const std::string& case_id, Status status = Status::wrong) {
  return {"quick", case_id, status, "the library errs", "suites/quick.yaml:7"};
}

class Expected : public Compared {
 protected:
  /// A case that was measured before and now ends with that status.
  void add(Status status, const std::string& id = kCase) {
    add_case(before, id, 1e-5);
    add_status(after, id, status, "off by 1");
  }
};

TEST_F(Expected, a_failure_that_was_expected_is_neither_broken_nor_an_alarm) {
  for (const Status status : {Status::wrong, Status::crashed, Status::timeout,
                              Status::out_of_memory, Status::unsupported}) {
    const std::string id = "pool/libtorch/n=" + std::to_string(int(status));
    add(status, id);
    after.info.expected.push_back(expect(id, status));
  }
  const Comparison found = compared();
  EXPECT_EQ(found.count(Verdict::expected), 5u);
  EXPECT_EQ(exit_code(found), 0);
  EXPECT_EQ(census_text(census_of(found)), "10 SAME, 5 EXPECTED");
  const Finding& wrong = finding(found, "pool/libtorch/n=" + std::to_string(int(Status::wrong)));
  EXPECT_EQ(wrong.reason,
            "WRONG: round 0: off by 1, as suites/quick.yaml:7 expects: the library errs");
  EXPECT_TRUE(found.notes.size() == 1) << "nothing can go";
}

TEST_F(Expected, a_failure_of_another_status_or_another_case_is_one_as_always) {
  add(Status::crashed);
  after.info.expected = {expect(kCase, Status::wrong), expect("pool/libtorch/n=2")};
  EXPECT_EQ(finding(compared(), kCase).verdict, Verdict::broken);
  EXPECT_EQ(exit_code(compared()), 1);
  after.info.expected.push_back(expect(kCase, Status::crashed));
  EXPECT_EQ(finding(compared(), kCase).verdict, Verdict::expected) << "either may be expected";
}

TEST_F(Expected, a_case_that_never_worked_is_expected_too_and_only_the_candidate_is_asked) {
  add_status(before, kCase, Status::wrong, "off by 1");
  add_status(after, kCase, Status::wrong, "off by 1");
  before.info.expected = {expect(kCase)};
  EXPECT_EQ(finding(compared(), kCase).verdict, Verdict::not_judged);
  after.info.expected = {expect(kCase)};
  EXPECT_EQ(finding(compared(), kCase).verdict, Verdict::expected);
  add_status(after, "pool/libtorch/n=2", Status::wrong, "new and wrong");
  after.info.expected.push_back(expect("pool/libtorch/n=2"));
  EXPECT_EQ(finding(compared(), "pool/libtorch/n=2").verdict, Verdict::expected);
  EXPECT_EQ(exit_code(compared()), 0);
}

TEST_F(Expected, a_case_that_is_ok_is_judged_by_its_times_and_its_expectation_can_go) {
  add_case(before, kCase, 1e-5);
  add_case(after, kCase, 2e-5);
  after.info.expected = {expect(kCase)};
  const Comparison found = compared();
  EXPECT_EQ(finding(found, kCase).verdict, Verdict::slower);
  EXPECT_EQ(found.notes.front(),
            "pool/libtorch/n=1 is OK; the expectation in suites/quick.yaml:7 (WRONG: the library "
            "errs) can go");
}

TEST_F(Expected, a_case_that_was_wrong_is_fixed_although_it_was_expected_to_fail) {
  add_status(before, kCase, Status::wrong, "off by 1");
  add_case(after, kCase, 1e-5);
  after.info.expected = {expect(kCase)};
  EXPECT_EQ(finding(compared(), kCase).verdict, Verdict::fixed);
}

TEST(Expectations, OutlivedForSomeOfTheirCasesAreTooWide) {
  const std::vector<ExpectedFailure> expected{expect("a"), expect("b"), expect("c"), expect("d")};
  const std::vector<CaseOutcome> outcomes{{"quick", "a", Status::ok},
                                          {"quick", "b", Status::unverified},
                                          {"quick", "c", Status::wrong},
                                          {"other", "d", Status::ok}};
  EXPECT_EQ(Expectations(expected).outlived(outcomes),
            std::vector<std::string>{"a and 1 more are OK, 1 other is not; the expectation in "
                                     "suites/quick.yaml:7 (WRONG: the library errs) is too wide"});
  EXPECT_TRUE(Expectations(expected).outlived(std::vector<CaseOutcome>{}).empty());
}

}  // namespace
}  // namespace plumbline
