/// The rule file's reader and its JSON Schema describe the same format; this compares them.
#include "workflow/fleet/rule_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/error.h"
#include "support/json_schema.h"
#include "support/places.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

struct Read {
  std::vector<FleetRuleLine> rules;
  std::string mistake;  // from line:column on
  bool is_taken_by_schema = true;
};

Read read(const std::string& text) {
  static const JsonSchema kSchema(fleet_rules_schema_json());
  const TemporaryFolder folder;
  const std::string path = folder / "rules.yaml";
  write_file(path, text);
  Read result;
  try {
    result.rules = read_fleet_rules(path);
  } catch (const Error& error) {
    result.mistake = std::string(error.what()).substr(path.size() + 1);
  }
  try {
    result.is_taken_by_schema = kSchema.mistake(path).empty();
  } catch (const Error&) {  // it is no YAML
    result.is_taken_by_schema = false;
  }
  return result;
}

Read read_rule(const std::string& rule) { return read("rules:\n  - {" + rule + "}\n"); }

TEST(FleetRuleFile, ReadsEveryKindOfCondition) {
  const Read found = read(
      "rules:\n"
      "  - {name: slow, class: 'NVIDIA H200*', family: gemm, slower_than_class: 5%, action: "
      "drain}\n"
      "  - {ecc_uncorrected: '> 0', temperature_c: '>= 85.5', action: watch, if_unknown: ignore}\n"
      "  - {differs_from_class: driver, action: watch}\n"
      "  - {not_measured: true, remap_failed: true, action: drain, if_unknown: report}\n");
  ASSERT_EQ(found.mistake, "");
  ASSERT_EQ(found.rules.size(), 4U);
  EXPECT_TRUE(found.is_taken_by_schema);
  EXPECT_EQ(found.rules[0].name, "slow");
  EXPECT_EQ(found.rules[0].family, "gemm");
  EXPECT_EQ(found.rules[0].device_class, "NVIDIA H200*");
  EXPECT_NEAR(*found.rules[0].slower_by, std::log(1.05), 1e-12);
  EXPECT_TRUE(found.rules[0].at.ends_with("rules.yaml:2"));
  ASSERT_EQ(found.rules[1].limits.size(), 2U);
  EXPECT_EQ(found.rules[1].limits[0].fact->name, "ecc_uncorrected");
  EXPECT_EQ(found.rules[1].limits[1].relation, NumberLimit::Relation::at_least);
  EXPECT_EQ(found.rules[1].limits[1].limit, 85.5);
  EXPECT_EQ(found.rules[1].action, FleetAction::watch);
  EXPECT_TRUE(found.rules[1].ignores_unknown);
  EXPECT_EQ(found.rules[2].differs->name, "driver");
  EXPECT_TRUE(found.rules[3].not_measured);
  EXPECT_EQ(found.rules[3].limits[0].limit, 1);
  EXPECT_FALSE(found.rules[3].ignores_unknown);
}

TEST(FleetRuleFile, EveryMistakeHasItsPlaceAndWhatIsAllowed) {
  const std::pair<const char*, const char*> kMistakes[]{
      {"action: drain", "2:5: the rule has no condition; add slower_than_class"},
      {"slower_than_class: 5%", "2:5: a rule lacks 'action'; it is drain or watch"},
      {"slower_than_class: 5, action: drain",
       "2:25: found the integer 5; 'slower_than_class' is a share above 0 such as 5%"},
      {"slower_than_class: 0%, action: drain", "2:25: found the text '0%'; 'slower_than_class' is"},
      {"slower_than_clas: 5%, action: drain",
       "2:6: unknown key 'slower_than_clas' in a rule; did you mean 'slower_than_class'?"},
      {"slower_than_class: 5%, action: kill", "2:37: found 'kill'; 'action' is drain or watch"},
      {"ecc_corrected: 0, action: drain",
       "2:21: found the integer 0; 'ecc_corrected' is a relation and a number in quotes"},
      {"ecc_corrected: '> many', action: drain", "2:21: found the text '> many'"},
      {"remap_failed: '> 0', action: drain", "2:20: found the text '> 0'; 'remap_failed' is true"},
      {"differs_from_class: drivr, action: watch",
       "2:26: 'drivr' is no entry of the environment; did you mean 'driver'?"},
      {"family: gemm, not_measured: true, action: drain",
       "2:6: 'family' is for slower_than_class, which this rule lacks"},
      {"not_measured: false, action: drain", "2:20: found the boolean false"},
      {"not_measured: true, action: drain, if_unknown: perhaps",
       "2:53: found 'perhaps'; 'if_unknown' is ignore or report"},
  };
  for (const auto& [rule, expected] : kMistakes) {
    const Read found = read_rule(rule);
    EXPECT_TRUE(found.mistake.starts_with(expected)) << rule << "\n" << found.mistake;
    EXPECT_FALSE(found.is_taken_by_schema) << rule;
  }
}

TEST(FleetRuleFile, AFileWithoutRulesIsAMistake) {
  for (const char* text : {"rules: []\n", "rules: {}\n", "other: 1\n", "- a\n"}) {
    const Read found = read(text);
    EXPECT_NE(found.mistake, "") << text;
    EXPECT_FALSE(found.is_taken_by_schema) << text;
  }
  EXPECT_NE(read("rules: [\n").mistake, "");
  EXPECT_THROW(read_fleet_rules("/nowhere/rules.yaml"), Error);
}

TEST(FleetRuleFile, TheExampleOfTheDocsIsRead) {
  const std::string page = file_text(source_dir() / "docs/how-to/fleet.md"), mark = "```yaml\n";
  const std::size_t begin = page.find(mark) + mark.size();
  const Read found = read(page.substr(begin, page.find("```", begin) - begin));
  EXPECT_EQ(found.mistake, "");
  EXPECT_EQ(found.rules.size(), 7U);
  EXPECT_TRUE(found.is_taken_by_schema);
}

}  // namespace
}  // namespace plumbline
