#include "store/recorded/changed_code.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "store/redacted/redactor.h"
#include "store/verdict/comparison_json.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

std::string kernel(const std::string& name, const std::string& code, int registers = 40,
                   const std::string& grid = "[8,1,1]") {
  return R"({"name":")" + name + R"(","grid":)" + grid + R"(,"block":[128,1,1],"registers":)" +
         std::to_string(registers) + R"(,"local":0,"calls":1,"time_s":1e-5)" +
         (code.empty() ? "" : R"(,"code":")" + code + '"') + "}";
}

void add(Run& run, const std::string& id, const std::string& kernels) {
  ResultRow& row = run.rows.emplace_back();
  row.suite = "s";
  row.case_id = id;
  row.kernels = "[" + kernels + R"(,{"name":"memset","bytes":64,"calls":1,"time_s":1e-6}])";
}

Finding finding(const std::string& id, Verdict verdict, std::size_t cause = 0) {
  Finding made;
  made.suite = "s";
  made.case_id = id;
  made.verdict = verdict;
  made.cause = cause;
  return made;
}

struct Pair {
  Run a, b;
  Comparison comparison;

  void add_case(const std::string& id, Verdict verdict, const std::string& before,
                const std::string& after) {
    add(a, id, before);
    add(b, id, after);
    comparison.findings.push_back(finding(id, verdict));
  }
  std::vector<CodeChange> changes() const { return changed_code(comparison, a, b); }
};

TEST(ChangedCode, IsThatOfKernelsOfOneNameInChangedCases) {
  Pair pair;
  pair.add_case("slower", Verdict::slower, kernel("k", "aa", 40) + ',' + kernel("same", "cc"),
                kernel("k", "bb", 64) + ',' + kernel("same", "cc"));
  pair.add_case("same", Verdict::same, kernel("other", "11"), kernel("other", "22"));
  pair.add_case("faster", Verdict::faster, kernel("k", "aa"), kernel("k", "bb"));
  pair.add_case("renamed", Verdict::slower, kernel("old_name", "11"), kernel("new_name", "22"));
  pair.add_case("unknown", Verdict::slower, kernel("u", ""), kernel("u", "22"));
  const std::vector<CodeChange> changes = pair.changes();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].kernel, "k");
  EXPECT_EQ(changes[0].before.hash, "aa");
  EXPECT_EQ(changes[0].after.hash, "bb");
  EXPECT_EQ(changes[0].before.registers, 40);
  EXPECT_EQ(changes[0].after.registers, 64);
  EXPECT_EQ(changes[0].after.local_bytes, 0);
  ASSERT_EQ(changes[0].cases.size(), 2U);
  EXPECT_EQ(changes[0].cases[1].case_id, "faster");
}

TEST(ChangedCode, OfACaseWithACauseCounts) {
  Pair pair;
  pair.add_case("broken", Verdict::broken, kernel("k", "aa"), kernel("k", "bb"));
  EXPECT_TRUE(pair.changes().empty());
  pair.comparison.findings[0].cause = 1;
  EXPECT_EQ(pair.changes().size(), 1U);
}

TEST(ChangedCode, MatchesSeveralKernelsOfOneNameInTheirOrder) {
  Pair pair;
  pair.add_case("c", Verdict::slower,
                kernel("k", "s") + ',' + kernel("k", "a1") + ',' + kernel("k", "a2"),
                kernel("k", "b1") + ',' + kernel("k", "s") + ',' + kernel("k", "b2"));
  const std::vector<CodeChange> changes = pair.changes();
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].before.hash + changes[0].after.hash, "a1b1");
  EXPECT_EQ(changes[1].before.hash + changes[1].after.hash, "a2b2");
}

TEST(ChangedCode, FindsTheBaselinesCaseUnderItsOldName) {
  Pair pair;
  add(pair.a, "old", kernel("k", "aa"));
  add(pair.b, "new", kernel("k", "bb"));
  pair.comparison.findings.push_back(finding("new", Verdict::slower));
  pair.comparison.findings.back().renamed_from = "old";
  EXPECT_EQ(pair.changes().size(), 1U);
}

TEST(EqualCode, NeedsEveryKernelAndItsLaunch) {
  Pair pair;
  pair.add_case("equal", Verdict::same, kernel("k", "aa"), kernel("k", "aa"));
  pair.add_case("other code", Verdict::same, kernel("k", "aa") + ',' + kernel("l", "11"),
                kernel("k", "aa") + ',' + kernel("l", "22"));
  pair.add_case("other launch", Verdict::same, kernel("k", "aa"),
                kernel("k", "aa", 40, "[16,1,1]"));
  pair.add_case("unknown", Verdict::same, kernel("k", ""), kernel("k", ""));
  pair.add_case("one more", Verdict::same, kernel("k", "aa"),
                kernel("k", "aa") + ',' + kernel("k", "aa"));
  EXPECT_EQ(cases_of_equal_code(pair.a, pair.b), (std::set<CaseKey>{{"s", "equal"}}));
}

CodeChange full_change() {
  CodeChange change;
  change.kernel = "k</script><b>\"\n";
  change.before = {"aa", 12, 40, 0};
  change.after = {"bb", 14, std::nullopt, 16};
  change.cases = {{"s", "op/x"}};
  change.mix = {{"FFMA", 1, 3}};
  change.diff = {"@@ -1,1 +1,2 @@", "+  FFMA R1, R1, R1, R1 </script>"};
  change.left_out = 7;
  change.is_partial = true;
  return change;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ChangedCode, IsReadBackFromTheComparison) {
  const TemporaryFolder folder;
  Comparison comparison;
  write_comparison(comparison, folder / "none.json");
  EXPECT_EQ(text_of(folder / "none.json").find("code_changes"), std::string::npos);
  comparison.code_changes = {full_change()};
  write_comparison(comparison, folder / "c.json");
  const Comparison found = read_comparison(folder / "c.json");
  ASSERT_EQ(found.code_changes.size(), 1U);
  const CodeChange& change = found.code_changes[0];
  EXPECT_EQ(change.kernel, full_change().kernel);
  EXPECT_EQ(change.before.registers, 40);
  EXPECT_FALSE(change.after.registers);
  EXPECT_EQ(change.diff, full_change().diff);
  EXPECT_TRUE(change.is_partial);
  write_comparison(found, folder / "again.json");
  EXPECT_EQ(text_of(folder / "again.json"), text_of(folder / "c.json"));
}

TEST(ChangedCode, ARedactedCopyHasTheCountsAndNotTheInstructions) {
  const TemporaryFolder folder;
  Comparison comparison;
  comparison.code_changes = {full_change()};
  write_comparison(comparison, folder / "c.json");
  Redactor redactor("t");
  const Json made = redactor.redacted_comparison(Json::parse(text_of(folder / "c.json")));
  const Json& change = made["code_changes"][0];
  EXPECT_EQ(change["mix"][0]["opcode"], "FFMA");
  EXPECT_EQ(change["before"]["instructions"], 12);
  EXPECT_FALSE(change.contains("diff"));
  for (const std::string& field : redactor.summary().unknown)
    EXPECT_FALSE(field.starts_with("code_changes")) << field;
}

}  // namespace
}  // namespace plumbline
