/// Pages for tests/browser/, with their planted facts.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>

#include "reports/sections/findings/cards.h"
#include "store/index/history.h"
#include "support/places.h"
#include "unit/reports/nights.h"
#include "unit/reports/planted.h"

namespace plumbline {
namespace {

void write_report(const std::string& name, const ReportInput& input, const std::string& expect) {
  write_page(name, render_report(input), expect);
}

TEST(BrowserPages, AParameterThatSomeIdsLeaveOutHasItsDefaultOnThePage) {
  SyntheticRun source{SyntheticShape{.cases = 2, .metrics = {"gpu_time_cold"}}};
  plumbline::Run run = source.make(1, [](std::size_t) { return 1.0; });
  for (ResultRow& row : run.rows) {
    row.op = "gemm";
    row.case_id = row.order == 0 ? "gemm/libtorch/m=8/stream.count=4" : "gemm/libtorch/m=8";
  }
  ReportInput input{&run};
  input.defaults["gemm"] = {{"stream.count", std::int64_t(1)}, {"unused", true}};
  const std::string page = render_report(input);
  EXPECT_TRUE(holds(page, R"("defaults":{"gemm":{"m":"","stream.count":"1"}})"));
  write_report("defaults", input, R"({"rows": 2, "query": "stream.count:1,2", "query_rows": 1})");
}

/// For tests/browser/choices_test.py: axes with names that other programs may use.
TEST(BrowserPages, APageForTheBrowserHasAxesNamedWithColonsBlanksAndQuotes) {
  SyntheticRun source{SyntheticShape{.cases = 3, .metrics = {"gpu_time_cold"}}};
  plumbline::Run run = source.make(1, [](std::size_t) { return 1.0; });
  constexpr std::array kIds{"mine/theirs/Tile%20Size%3A x=1 2/of%22it=a:b",
                            "mine/theirs/Tile%20Size%3A x=1 2/of%22it=c", "mine/theirs/-a=b"};
  for (ResultRow& row : run.rows) {
    row.op = "mine";
    row.case_id = kIds[std::size_t(row.order)];
  }
  write_report("named", ReportInput{&run}, R"({"rows": 3, "query": "\"-a\":b", "query_rows": 1})");
}

/// A change with a long line and a hostile text, and one of which the instructions are not known.
std::vector<CodeChange> code_changes_of(const std::string& case_id) {
  CodeChange change;
  change.kernel = "scaled</script><img src=x onerror=alert(4)>";
  change.before = {"aaaaaaaaaaaaaaaa", 412, 40, 0};
  change.after = {"bbbbbbbbbbbbbbbb", 436, 64, 24};
  change.cases = {{"nightly", case_id}};
  change.mix = {{"FFMA", 64, 72}, {"LDG", 8, 12}};
  change.diff = {"@@ -1,3 +1,4 @@", "   S2R R0, SR_TID.X", "-  FADD R1, R1, R1",
                 "+  FFMA R1, R1, R1, R1 </script><img src=x onerror=alert(5)>",
                 "+  LDG.E.128.CONSTANT R4, desc[UR4][R2.64+0x1000] " + std::string(200, 'x')};
  change.left_out = 7;
  CodeChange unknown;
  unknown.kernel = "other";
  unknown.unknown = "there is no nvdisasm";
  unknown.cases = change.cases;
  return {change, unknown};
}

/// Pages for tests/browser/report_test.py, with their planted facts.
TEST(BrowserPages, HoldTheirSizeAtTenThousandCases) {
  const Planted some;
  const std::string slower = some.source.id(kSlower);
  write_report("compared", some.input(),
               R"({"headline": "✕ Broken: ", "rows": )" +
                   std::to_string(worst_per_case(some.comparison).size()) +
                   R"(, "cards": 2, "query": "slower", "query_rows": 1, "open": ")" + slower +
                   R"("})");
  const plumbline::Run kept = reduced(some.baseline);
  Comparison with_kept = compare(kept, some.candidate, default_rule("cuda"));
  explain(with_kept, kept, some.candidate);
  write_report("reduced", {&some.candidate, &kept, &with_kept}, R"({"open": ")" + slower + R"("})");
  const SlowerRegion region;
  write_report("causes", region.input(),
               R"({"cards": )" + std::to_string(make_cards(make_model(region.input()), 40).total) +
                   R"(, "texts": ["with dtype=bfloat16", "registers of a thread"]})");
  plumbline::Run alone = some.candidate;
  alone.info.environment.device_uuids = {"GPU-0a1b2c3d-0000-0000-0000-000000000000"};
  const History of_devices = history_on_two_devices(alone);
  ReportInput of_alone{&alone};
  of_alone.history = &of_devices;
  write_report("alone", of_alone,
               R"({"headline": "78 of 79 cases were measured", "cards": 1, "open": ")" + slower +
                   R"(", "details": ["6 runs on 2 devices since 2026-04-01; their level is",
"by run, not by time"], "devices": ["GPU-4e5f6071", "GPU-0a1b2c3d"],
"never": ["candidate"]})");

  SyntheticRun rich({.cases = 20});
  plumbline::Run rich_before = rich.make(1, [](std::size_t) { return 1.0; });
  plumbline::Run rich_after = rich.make(2, [](std::size_t) { return 1.0; });
  record_more(rich_before, rich.id(kSlower), 96);
  record_more(rich_after, rich.id(kSlower), 128);
  Comparison of_rich = compare(rich_before, rich_after, default_rule("cuda"));
  explain(of_rich, rich_before, rich_after);
  of_rich.code_changes = code_changes_of(rich.id(kSlower));
  const History of_two = make_history({summary_of(rich_before), summary_of(rich_after)});
  write_report("recorded", {&rich_after, &rich_before, &of_rich, &of_two},
               R"j({"rows": 20, "open": ")j" + rich.id(kSlower) +
                   R"j(", "metric": "gpu_time_cold", "kernels": 2,
"details": ["kernel_span_cold", "shown", "96 → 128", "≠ changed", "memcpy HtoD, 4.10 kB",
            "1 of 8 blocks set aside (thermal)", "kernel_time_cold: CUPTI lost records",
            "cupti_span", "of the calibrated peak", "2 runs since 2026-05-02; their level is",
            "How its samples are distributed", "the lowest decile by",
            "The device meanwhile: SM clock 1980 MHz, temperature 41 to 43 °C",
            "of what the calibrated bandwidth allows at"],
"drawn": 5,
"code": ["412 → 436 instructions (FFMA 64 → 72, LDG 8 → 12)", "registers of a thread 40 → 64",
         "local memory of a thread 0 → 24 B", "+  FFMA R1, R1, R1, R1 </script><img",
         "7 more lines of the difference are left out", "not shown: there is no nvdisasm"],
"folded": {"calibration": "4.20 TB/s ± 1 %", "drift": "+1.20 % at most"},
"metrics": ["gpu_time_cold", "gpu_time_hot", "kernel_span_cold"]})j");

  SyntheticRun hostile({.cases = 40, .hostile = true});
  const plumbline::Run before = hostile.make(1, [](std::size_t) { return 1.0; });
  plumbline::Run after =
      hostile.make(2, [](std::size_t i) { return i >= 1 && i <= 8 ? 1.2 : 1.0; });
  after.warnings = hostile_names();
  after.info.environment.driver = before.info.environment.driver;  // one state: one card for each
  Comparison of_hostile = compare(before, after, default_rule("cuda"));
  explain(of_hostile, before, after);
  ReportInput input{&after, &before, &of_hostile};
  input.title = input.commit_subject = hostile_names()[0];
  write_report("hostile", input,
               R"({"cards": 8, "texts": ["</script><script>alert(1)</script>"]})");

  SyntheticRun large({.cases = 10'000});
  const plumbline::Run first = large.make(1, [](std::size_t) { return 1.0; });
  const plumbline::Run second =
      large.make(2, [](std::size_t i) { return i % 1000 == 7 ? 1.06 : 1.0; });
  Comparison of_large = compare(first, second, default_rule("cuda"));
  explain(of_large, first, second);
  write_report("large", {&second, &first, &of_large}, R"({"rows": 10000, "open_seconds": 2})");
  const auto size = std::filesystem::file_size(build_dir() / "tests/pages/large.html");
  EXPECT_LE(size, 10'000'000U);
}

}  // namespace
}  // namespace plumbline
