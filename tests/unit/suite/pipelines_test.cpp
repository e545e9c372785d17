/// The pipelines of ci/ that are YAML: strict YAML, of the shape that GitHub and GitLab document,
/// and without logic of their own. What they call is checked by tests/ci.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "suite/yaml.h"

namespace plumbline {
namespace {

using Names = std::set<std::string>;

/// Keeps the file that places point into.
struct Document {
  explicit Document(const std::string& name)
      : file(read_yaml_file(std::string(PLUMBLINE_SOURCE_DIR) + "/ci/" + name)),
        root(parse_yaml(file)) {}
  YamlFile file;
  YamlPtr root;
};

const YamlNode* find(const YamlNode& map, const std::string& key) {
  for (const YamlEntry& entry : map.entries)
    if (entry.key == key) return entry.value.get();
  return nullptr;
}

void expect_keys(const YamlNode& map, const Names& allowed, const std::string& where) {
  EXPECT_EQ(map.kind, YamlNode::Kind::map) << where;
  for (const YamlEntry& entry : map.entries)
    EXPECT_TRUE(allowed.contains(entry.key)) << where << ": " << entry.key;
}

void expect_one_call(const std::string& command, const std::string& where) {
  static const std::regex kCall(R"(ci/(nightly|gate)\.sh( [A-Za-z0-9_./${} -]*)?)");
  EXPECT_TRUE(std::regex_match(command, kCall)) << where << ": " << command;
}

void check_step(const YamlNode& step, const std::string& where, std::size_t& calls) {
  static const std::regex kAction(R"([a-z-]+/[a-z-]+@v\d+)");
  expect_keys(step, {"name", "uses", "run", "with", "if"}, where);
  const YamlNode *uses = find(step, "uses"), *run = find(step, "run");
  EXPECT_NE(uses == nullptr, run == nullptr) << where;
  if (uses) {
    EXPECT_TRUE(std::regex_match(uses->text, kAction)) << where << ": " << uses->text;
  }
  if (run) expect_one_call(run->text, where);
  calls += run != nullptr;
}

class GitHubWorkflow : public testing::TestWithParam<const char*> {};

TEST_P(GitHubWorkflow, HasKnownKeysAndStepsThatOnlyCallAScript) {
  const Document workflow(GetParam());
  expect_keys(*workflow.root, {"name", "on", "permissions", "concurrency", "jobs"}, "workflow");
  expect_keys(*find(*workflow.root, "on"), {"schedule", "workflow_dispatch", "pull_request"}, "on");
  const YamlNode& jobs = *find(*workflow.root, "jobs");
  std::size_t calls = 0;
  for (const YamlEntry& job : jobs.entries) {
    expect_keys(
        *job.value,
        {"runs-on", "timeout-minutes", "env", "steps", "needs", "if", "permissions", "environment"},
        job.key);
    EXPECT_NE(find(*job.value, "runs-on"), nullptr) << job.key;
    if (const YamlNode* needs = find(*job.value, "needs")) {
      for (const YamlPtr& needed : needs->items)
        EXPECT_NE(find(jobs, needed->text), nullptr) << needed->text;
    }
    const YamlNode* steps = find(*job.value, "steps");
    ASSERT_NE(steps, nullptr) << job.key;
    for (const YamlPtr& step : steps->items) check_step(*step, job.key, calls);
  }
  EXPECT_EQ(calls, 1U);
}

INSTANTIATE_TEST_SUITE_P(Pipelines, GitHubWorkflow,
                         testing::Values("github/nightly.yml", "github/gate.yml"));

TEST(GitLabPipeline, HasKnownKeysAndJobsThatOnlyCallAScript) {
  const Document pipeline("gitlab/plumbline.gitlab-ci.yml");
  std::size_t jobs = 0;
  for (const YamlEntry& job : pipeline.root->entries) {
    if (job.key == "variables") continue;
    ++jobs;
    expect_keys(*job.value,
                {"stage", "tags", "rules", "resource_group", "timeout", "variables", "script",
                 "allow_failure", "artifacts"},
                job.key);
    const YamlNode* script = find(*job.value, "script");
    ASSERT_NE(script, nullptr) << job.key;
    ASSERT_EQ(script->items.size(), 1U) << job.key;
    expect_one_call(script->items[0]->text, job.key);
    const YamlNode* artifacts = find(*job.value, "artifacts");
    ASSERT_NE(artifacts, nullptr) << job.key;
    expect_keys(*artifacts, {"when", "paths", "reports"}, job.key);
    EXPECT_NE(find(*find(*artifacts, "reports"), "junit"), nullptr) << job.key;
  }
  EXPECT_EQ(jobs, 2U);
}

TEST(Pipelines, OfYamlAreAllCheckedHere) {
  Names found;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(PLUMBLINE_SOURCE_DIR) + "/ci"))
    if (const std::string extension = entry.path().extension().string();
        extension == ".yml" || extension == ".yaml")
      found.insert(entry.path().filename().string());
  EXPECT_EQ(found, (Names{"nightly.yml", "gate.yml", "plumbline.gitlab-ci.yml"}));
}

}  // namespace
}  // namespace plumbline
