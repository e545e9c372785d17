#include "reports/cause_text.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

CausePart part(std::vector<AxisCondition> region, std::size_t changed, std::size_t cases,
               std::size_t open = 0) {
  return {"gemm", "libtorch", std::move(region), changed, cases, open};
}

Cause slower_cause() {
  Cause cause;
  cause.verdict = Verdict::slower;
  cause.measure = "time";
  cause.parts = {
      part({{"dtype", {"bfloat16"}, false, {}, {}}, {"k", {}, false, 4096, {}}}, 12, 14)};
  cause.cases = 12;
  cause.changes = {{"gpu_time_cold", 12, 0.041, 0.05, 0.063}};
  cause.worst_metric = "gpu_time_cold";
  cause.cost = 1.24e-3;
  cause.unit = "s";
  return cause;
}

RecordedFact fact(const std::string& name, std::size_t changed, std::size_t same,
                  std::size_t unknown, const std::string& before, const std::string& after) {
  RecordedFact made;
  made.name = made.label = name;
  made.changed = changed;
  made.same = same;
  made.unknown = unknown;
  made.variants = changed > 0;
  made.before = before;
  made.after = after;
  if (unknown > 0) made.missing = "baseline";
  return made;
}

std::string line(const Cause& cause, const std::string& label) {
  for (const FactLine& found : fact_lines(cause))
    if (found.label == label) return found.text;
  return "";
}

TEST(CauseText, SaysTheRegionAndBothCounts) {
  EXPECT_EQ(where_text(slower_cause().parts[0]), "12 of 14 cases with dtype=bfloat16 and k ≥ 4096");
  EXPECT_EQ(where_text(part({}, 14, 14)), "all 14 cases");
  EXPECT_EQ(where_text(part({}, 3, 14, 2)), "3 of 14 cases; 2 could not be resolved");
  EXPECT_EQ(where_text(part({}, 1, 1)), "its only case");
  EXPECT_EQ(where_text(part({{"n", {"4"}, false, {}, {}}}, 1, 1)), "the one case with n=4");
}

TEST(CauseText, NamesEveryKindOfCondition) {
  EXPECT_EQ(region_text({{"k", {}, false, 64, 512}}), "64 ≤ k ≤ 512");
  EXPECT_EQ(region_text({{"k", {}, false, {}, 512}}), "k ≤ 512");
  EXPECT_EQ(region_text({{"dtype", {"bfloat16", "float16"}, false, {}, {}}}),
            "dtype=bfloat16 or float16");
  EXPECT_EQ(region_text({{"dtype", {"float32"}, true, {}, {}}}), "dtype other than float32");
  EXPECT_EQ(region_text({{"stream.count", {""}, false, {}, {}}}), "stream.count at its default");
  EXPECT_EQ(region_text({{"stream.count", {""}, true, {}, {}}}), "stream.count not at its default");
  EXPECT_EQ(region_text({{"plan", {"", "1"}, false, {}, {}}}), "plan=1 or its default");
}

TEST(CauseText, OneLineHoldsPlaceSizeAndCost) {
  const std::string text = cause_line(slower_cause());
  EXPECT_EQ(text.find("gemm libtorch: 12 of 14 cases with dtype=bfloat16 and k ≥ 4096, +4.1"), 0u)
      << text;
  EXPECT_NE(text.find(". Running each affected case once takes 1.24\u00A0ms longer in total."),
            text.npos)
      << text;
}

TEST(CauseText, SaysWhatChangedWhatDidNotAndWhatIsNotKnown) {
  Cause cause = slower_cause();
  cause.facts = {fact("registers", 3, 9, 0, "64", "72"), fact("plan", 0, 12, 0, "a", "a"),
                 fact("clock", 0, 0, 12, "", "")};
  EXPECT_EQ(line(cause, "also changed"), "registers 64 → 72 in 3 of 12 cases");
  EXPECT_EQ(line(cause, "the same"), "plan");
  EXPECT_EQ(line(cause, "not known"), "clock (not recorded by the baseline)");
  EXPECT_EQ(line(cause, "likely reason"), "");
}

CodeChange code_change(const std::string& kernel, const std::string& case_id) {
  CodeChange change;
  change.kernel = kernel;
  change.before.instructions = 412;
  change.after.instructions = 436;
  change.mix = {{"FFMA", 64, 72}, {"LDG", 8, 12}};
  change.cases = {{"s", case_id}};
  return change;
}

TEST(CauseText, TellsHowMachineCodeChangedOfItsCasesAlone) {
  Comparison comparison;
  comparison.causes = {slower_cause(), slower_cause()};
  for (std::size_t cause : {1, 2}) {
    Finding& finding = comparison.findings.emplace_back();
    finding.suite = "s";
    finding.case_id = "c" + std::to_string(cause);
    finding.cause = cause;
  }
  comparison.code_changes = {code_change("scaled", "c2")};
  const auto said = [&](std::size_t i) { return cause_line(comparison.causes[i], &comparison); };
  constexpr const char* kSaid =
      "machine code: scaled: 412 → 436 instructions (FFMA 64 → 72, LDG 8 → 12)";
  EXPECT_EQ(said(0).find("machine code"), std::string::npos) << said(0);
  EXPECT_NE(said(1).find(kSaid), std::string::npos) << said(1);
  EXPECT_EQ(cause_line(comparison.causes[1]).find("machine code"), std::string::npos);
  for (int n = 0; n < 4; ++n)
    comparison.code_changes.push_back(code_change("more" + std::to_string(n), "c2"));
  EXPECT_NE(said(1).find("and of 2 more kernels"), std::string::npos) << said(1);
  comparison.code_changes = {code_change("scaled", "c2")};
  comparison.code_changes[0].unknown = "there is no nvdisasm";
  EXPECT_EQ(said(1).find("scaled"), std::string::npos) << said(1);
}

TEST(CauseText, NamesTheOpcodesThatChangedMost) {
  CodeChange change = code_change("k", "c");
  for (const char* opcode : {"A", "B", "C"}) change.mix.push_back({opcode, 1, 2});
  EXPECT_EQ(code_text(change),
            "k: 412 → 436 instructions (FFMA 64 → 72, LDG 8 → 12, A 1 → 2, B 1 → 2, 1 more)");
  change.mix.clear();
  change.diff = {"@@ -1,1 +1,1 @@"};
  change.after.instructions = 412;
  EXPECT_EQ(code_text(change), "k: 412 instructions, of other kinds or in another order");
  change.diff.clear();
  EXPECT_EQ(code_text(change), "k: the same 412 instructions, but other scheduling or data");
}

TEST(CauseText, SameKernelsAndConfigurationAreSaidOutright) {
  Cause cause = slower_cause();
  for (const char* name : {"kernels", "grid", "block", "registers", "shared_memory"})
    cause.facts.push_back(fact(name, 0, 12, 0, "x", "x"));
  EXPECT_EQ(line(cause, ""), "Same kernels, same configuration, different time.");
  const std::vector<RecordedFact> launches = cause.facts;
  cause.facts.push_back(fact("local_memory", 0, 12, 0, "0 B", "0 B"));
  cause.facts.push_back(fact("machine_code", 0, 12, 0, "5a", "5a"));
  constexpr const char* kIdentical =
      "Identical machine code, same configuration, different time: the code of the kernels is not "
      "the reason.";
  EXPECT_EQ(line(cause, ""), kIdentical);
  cause.measure = "host_time";
  EXPECT_NE(line(cause, ""), kIdentical) << "the host's code is not known";
  cause.measure = "time";
  cause.facts.push_back(fact("code", 12, 0, 0, "1", "2"));
  EXPECT_EQ(line(cause, ""), "") << "it may launch the kernels with other arguments";
  cause.facts.pop_back();
  cause.facts[6] = fact("machine_code", 1, 11, 0, "5a", "5b");
  EXPECT_EQ(line(cause, ""), "");
  cause.facts[6] = fact("machine_code", 0, 11, 1, "5a", "5a");
  EXPECT_EQ(line(cause, ""), "Same kernels, same configuration, different time.");
  cause.facts = launches;
  cause.measure = "peak_memory";
  EXPECT_EQ(line(cause, ""), "");
  cause.measure = "time";
  cause.verdict = Verdict::broken;
  EXPECT_EQ(line(cause, ""), "") << "a failure is no time";
  cause.verdict = Verdict::slower;
  cause.facts[1] = fact("grid", 0, 11, 1, "x", "x");
  EXPECT_EQ(line(cause, ""), "");
}

TEST(CauseText, AClockThatExplainsIsNamedFirst) {
  Cause cause = slower_cause();
  RecordedFact clock = fact("clock", 12, 0, 0, "", "");
  clock.label = "SM clock";
  clock.unit = "Hz";
  clock.before_value = 1.98e9;
  clock.after_value = 1.782e9;
  cause.facts = {fact("registers", 12, 0, 0, "64", "72"), clock};
  cause.clock_explains = 12;
  const std::vector<FactLine> lines = fact_lines(cause);
  EXPECT_EQ(lines[0].label, "likely reason");
  EXPECT_NE(lines[0].text.find("SM clock 1.98 → 1.78\u00A0GHz (−10"), std::string::npos)
      << lines[0].text;
  EXPECT_NE(lines[0].text.find("as much as the time"), std::string::npos);
}

TEST(CauseText, LongNamesAndHashesAreCutWithinNoCharacter) {
  Cause cause = slower_cause();
  std::string longest;
  for (int i = 0; i < 100; ++i) longest += "é";
  cause.facts = {fact("kernels", 12, 0, 0, longest, std::string(40, 'a'))};
  const std::string text = line(cause, "also changed");
  EXPECT_NE(text.find("é… → aaaaaaaaaa"), text.npos) << text;
  EXPECT_EQ(text.find("aaaaaaaaaaa"), text.npos);
}

}  // namespace
}  // namespace plumbline
