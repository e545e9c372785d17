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

TEST_F(ProjectFileTest, AListIsNoFolder) {
  const std::string found = mistake("runs: [a, b]\n");
  EXPECT_EQ(found.substr(0, 19), "plumbline.yaml:1:7:") << found;
}

}  // namespace
}  // namespace plumbline
