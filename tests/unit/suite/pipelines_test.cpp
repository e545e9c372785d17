/// The YAML pipelines of ci/: strict YAML, in the form that GitHub and GitLab document, and without
/// logic of their own. (GitLab's pages job only checks whether there is a site.) tests/ci checks
/// the scripts that they call.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "suite/yaml/yaml.h"
#include "support/places.h"

namespace plumbline {
namespace {

using Names = std::set<std::string>;

/// The file without the header of a component (`spec:`), which is a document of its own.
YamlFile without_header(YamlFile file) {
  const std::string end = "\n---\n";
  if (const std::size_t at = file.text.find(end); at != std::string::npos)
    file.text.erase(0, at + end.size());
  return file;
}

/// Keeps the file to which places point.
struct Document {
  explicit Document(const std::string& name)
      : file(without_header(read_yaml_file(source_dir() / "ci" / name))), root(parse_yaml(file)) {}
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
  // The folder that PLUMBLINE_CI names, else the one beside the program on PATH.
  static const std::string folder =
      R"sh("${PLUMBLINE_CI:-$(dirname "$(readlink -f "$(command -v plumbline)")")/../share/plumbline/ci}/)sh";
  EXPECT_TRUE(command.starts_with(folder)) << where << ": " << command;
  static const std::regex kCall(
      R"(((nightly|gate|judge)\.sh"|post\.py" comment)( [A-Za-z0-9_./${} -]*)?)");
  EXPECT_TRUE(std::regex_match(command.substr(folder.size()), kCall)) << where << ": " << command;
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
  expect_keys(*workflow.root, {"name", "on", "permissions", "concurrency", "env", "jobs"},
              "workflow");
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

const Names kGitLabKeys{"stage",     "tags",   "rules",         "resource_group", "timeout",
                        "variables", "script", "allow_failure", "artifacts",      "needs"};

/// The only command of a job whose artifacts are always kept.
std::string only_command(const YamlNode& job, const std::string& name) {
  expect_keys(job, kGitLabKeys, name);
  const YamlNode *script = find(job, "script"), *artifacts = find(job, "artifacts");
  if (!script || !artifacts || script->items.size() != 1) {
    ADD_FAILURE() << name << " has one command and artifacts";
    return "";
  }
  expect_keys(*artifacts, {"when", "paths", "reports"}, name);
  EXPECT_EQ(find(*artifacts, "when")->text, "always") << name;
  return script->items[0]->text;
}

TEST(GitLabPipeline, HasKnownKeysAndJobsThatOnlyCallAScript) {
  const Document pipeline("gitlab/plumbline.gitlab-ci.yml");
  Names jobs;
  for (const YamlEntry& job : pipeline.root->entries) {
    if (job.key == "variables") continue;
    jobs.insert(job.key);
    const std::string command = only_command(*job.value, job.key);
    if (job.key == "pages") continue;
    expect_one_call(command, job.key);
    const YamlNode* reports = find(*find(*job.value, "artifacts"), "reports");
    if (job.key == "comment") continue;
    ASSERT_NE(reports, nullptr) << job.key;
    EXPECT_NE(find(*reports, "junit"), nullptr) << job.key;
  }
  EXPECT_EQ(jobs, (Names{"nightly", "pages", "gate", "comment"}));
}

/// GitLab publishes a site only from a job that passes, so this job does not measure.
TEST(GitLabPipeline, PublishesTheSiteOfANightWhateverItsVerdict) {
  const Document pipeline("gitlab/plumbline.gitlab-ci.yml");
  const YamlNode* pages = find(*pipeline.root, "pages");
  ASSERT_NE(pages, nullptr);
  EXPECT_EQ(only_command(*pages, "pages"), "test -e public/index.html");
  const YamlNode *needs = find(*pages, "needs"), *rules = find(*pages, "rules");
  ASSERT_TRUE(needs && rules);
  ASSERT_EQ(needs->items.size(), 1U);
  EXPECT_EQ(needs->items[0]->text, "nightly");
  for (const YamlPtr& rule : rules->items) EXPECT_EQ(find(*rule, "when")->text, "always");
  const YamlNode& left = *find(*find(*find(*pipeline.root, "nightly"), "artifacts"), "paths");
  EXPECT_EQ(left.items[0]->text, "public");
}

TEST(Pipelines, OfYamlAreAllCheckedHere) {
  Names found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() / "ci"))
    if (const std::string extension = entry.path().extension().string();
        extension == ".yml" || extension == ".yaml")
      found.insert(entry.path().filename().string());
  // tests/ci runs the steps of the actions, and checks Buildkite's pipeline by its schema.
  EXPECT_EQ(found, (Names{"nightly.yml", "gate.yml", "plumbline.gitlab-ci.yml", "action.yml",
                          "pipeline.yml"}));
}

}  // namespace
}  // namespace plumbline
