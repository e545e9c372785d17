/// A page of a hundred thousand cases, for tests/browser/opening_test.py.
#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>

#include "analysis/compare/compare.h"
#include "reports/report.h"
#include "store/recorded/evidence.h"
#include "unit/reports/planted.h"

namespace plumbline {
namespace {

TEST(LargePage, PageOfAHundredThousandCasesIsMadeInSecondsAndHoldsAllOfThem) {
  const SyntheticRun source(
      {.cases = 100'000, .metrics = {"gpu_time_cold"}, .rounds = 2, .blocks = 2, .samples = 2});
  const plumbline::Run before = source.make(1, [](std::size_t) { return 1.0; });
  const plumbline::Run after =
      source.make(2, [](std::size_t i) { return i % 10'000 == 7 ? 1.3 : 1.0; });
  Comparison comparison = compare(before, after, default_rule("cuda"));
  explain(comparison, before, after);
  const std::clock_t started = std::clock();  // of all threads, independent of others on the
                                              // machine
  const std::string page = render_report({&after, &before, &comparison});
  const double took = double(std::clock() - started) / CLOCKS_PER_SEC;
  std::printf("a page of %zu findings, %.1f MB, made in %.2f s of processor time\n",
              comparison.findings.size(), double(page.size()) / 1e6, took);
  EXPECT_LE(took, 20) << "ten times the cases of a page that is made in 2 s";
  EXPECT_EQ(comparison.findings.size(), 100'000U);
  write_page("huge", page, R"({"open_seconds": 6, "rows": 100000,
"query": "dtype:float16,bfloat16 backend:cudnn op:gemm", "answer_seconds": 1})",
             "large_pages");
}

}  // namespace
}  // namespace plumbline
