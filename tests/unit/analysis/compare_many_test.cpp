#include <gtest/gtest.h>

#include <string>

#include "analysis/compare/compare.h"
#include "unit/analysis/planted.h"

namespace plumbline {
namespace {

TEST(CompareMany, cases_of_a_long_run_keep_their_own_numbers) {
  plumbline::Run before = planted::run_on("NVIDIA H200"), after = before;
  for (int i = 0; i < 5000; ++i) {
    const std::string id = "op/libtorch/n=" + std::to_string(i);
    planted::add_case(before, id, 1e-5 * (i + 1));
    planted::add_case(after, id, 1e-5 * (i + 1) * (i % 1000 == 321 ? 1.1 : 1));
  }
  const Comparison made = compare(before, after, default_rule("cuda"));
  EXPECT_EQ(made.count(Verdict::slower), 5u);
  ASSERT_EQ(made.findings.size(), 5000u);
  for (const Finding& finding : made.findings) {
    const int i = std::stoi(finding.case_id.substr(finding.case_id.find("n=") + 2));
    EXPECT_NEAR(*finding.baseline / (1e-5 * (i + 1)), 1, 1e-3) << finding.case_id;
    EXPECT_EQ(finding.verdict == Verdict::slower, i % 1000 == 321) << finding.case_id;
  }
}

}  // namespace
}  // namespace plumbline
