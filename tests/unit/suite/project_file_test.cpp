#include "suite/project_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace plumbline {
namespace {

class ProjectFileTest : public testing::Test {
 protected:
  ProjectFileTest() {
    char folder[] = "/tmp/plumbline-test-XXXXXX";
    folder_ = mkdtemp(folder);
  }
  ~ProjectFileTest() override { std::filesystem::remove_all(folder_); }

  ProjectFile read(const std::string& text) {
    std::ofstream(folder_ + "/plumbline.yaml") << text;
    return read_project_file(folder_ + "/plumbline.yaml");
  }

  std::string mistake(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      return std::string(error.what()).substr(folder_.size() + 1);
    }
    return "no mistake";
  }

  std::string folder_;
};

TEST_F(ProjectFileTest, WhatIsSaidIsReadAndTheRestIsEmpty) {
  const ProjectFile project = read("baselines: perf/accepted\nworker: /opt/plumbline-worker\n");
  EXPECT_EQ(project.baselines, "perf/accepted");
  EXPECT_EQ(project.runs, "");
  EXPECT_EQ(project.worker, "/opt/plumbline-worker");
}

TEST_F(ProjectFileTest, AnUnknownKeyIsNamedWithItsPlaceAndTheNearest) {
  const std::string found = mistake("runs: a\nbaseline: b\n");
  EXPECT_EQ(found.substr(0, 19), "plumbline.yaml:2:1:") << found;
  EXPECT_NE(found.find("did you mean 'baselines'"), std::string::npos) << found;
}

TEST_F(ProjectFileTest, DefaultsOfFlagsAreRead) {
  const ProjectFile project = read(
      "device: cuda:1\nhistory: true\nthresholds: {margin: 3%, threshold: 0.01, "
      "false_discovery_rate: 5 %}\n");
  EXPECT_EQ(project.device, "cuda:1");
  EXPECT_TRUE(project.history);
  EXPECT_DOUBLE_EQ(project.thresholds.margin.value(), 0.03);
  EXPECT_DOUBLE_EQ(project.thresholds.threshold.value(), 0.01);
  EXPECT_DOUBLE_EQ(project.thresholds.false_discovery_rate.value(), 0.05);
  EXPECT_FALSE(read("runs: a\n").thresholds.margin);
}

TEST_F(ProjectFileTest, ValuesOfAnotherKindAreRefusedAtTheirPlace) {
  for (const auto& [text, place] : {std::pair{"history: often\n", "plumbline.yaml:1:10:"},
                                    {"thresholds: 2%\n", "plumbline.yaml:1:13:"},
                                    {"thresholds: {margin: 200%}\n", "plumbline.yaml:1:22:"},
                                    {"thresholds: {margin: wide}\n", "plumbline.yaml:1:22:"},
                                    {"thresholds: {slack: 2%}\n", "plumbline.yaml:1:14:"}})
    EXPECT_EQ(mistake(text).substr(0, 20), place) << mistake(text);
}

TEST_F(ProjectFileTest, AFlagWinsOverTheFile) {
  const Thresholds flags{.margin = 0.05, .threshold = {}, .false_discovery_rate = {}};
  const Thresholds file{.margin = 0.03, .threshold = 0.01, .false_discovery_rate = {}};
  const Thresholds used = with_defaults(flags, file);
  EXPECT_DOUBLE_EQ(used.margin.value(), 0.05);
  EXPECT_DOUBLE_EQ(used.threshold.value(), 0.01);
  EXPECT_FALSE(used.false_discovery_rate);
}

TEST_F(ProjectFileTest, SettingsOfSlurmAreTextsAndLists) {
  const SlurmSettings slurm =
      read(
          "slurm: {partition: gpu, account: 1234, time: 02:00:00, modules: [cuda, gcc], "
          "setup: make}\n")
          .slurm;
  EXPECT_EQ(slurm.partition, "gpu");
  EXPECT_EQ(slurm.account, "1234");  // as written
  EXPECT_EQ(slurm.time, "02:00:00");
  EXPECT_EQ(slurm.modules, (std::vector<std::string>{"cuda", "gcc"}));
  EXPECT_EQ(slurm.setup, std::vector<std::string>{"make"});
  EXPECT_EQ(slurm.qos, "");
  const std::string found = mistake("slurm:\n  partitions: gpu\n");
  EXPECT_EQ(found.substr(0, 19), "plumbline.yaml:2:3:") << found;
  EXPECT_NE(found.find("did you mean 'partition'"), std::string::npos) << found;
  EXPECT_EQ(mistake("slurm: {time: [1]}\n").substr(0, 20), "plumbline.yaml:1:15:");
  EXPECT_EQ(mistake("slurm: gpu\n").substr(0, 19), "plumbline.yaml:1:8:");
}

TEST_F(ProjectFileTest, ASettingOfACommandWinsOverTheFiles) {
  SlurmSettings flags, file;
  flags.partition = "mine";
  file.partition = "theirs";
  file.modules = {"cuda"};
  const SlurmSettings used = with_defaults(flags, file);
  EXPECT_EQ(used.partition, "mine");
  EXPECT_EQ(used.modules, std::vector<std::string>{"cuda"});
}

TEST_F(ProjectFileTest, AListIsNoFolder) {
  const std::string found = mistake("runs: [a, b]\n");
  EXPECT_EQ(found.substr(0, 19), "plumbline.yaml:1:7:") << found;
}

}  // namespace
}  // namespace plumbline
