#include "workflow/results/named_results.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

class NamedResults : public testing::Test {
 protected:
  NamedResults() {
    fs::create_directory(folder_ / "night");
    fs::create_directory(folder_ / "pairs");
    write("night/run.json", "{}");
    write("night.json", R"({"format": 1, "baseline_path": "a", "findings": []})");
    write("pairs/comparison.json", R"({"format": 1, "findings": []})");
    write("other.json", R"({"format": 1})");
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string refusal(const std::string& name) const {
    try {
      require_results(path(name));
    } catch (const Error& error) {
      std::string text = error.what();
      for (std::size_t at; (at = text.find(folder_.path())) != text.npos;)
        text.replace(at, folder_.path().size(), "DIR");
      return text;
    }
    return "";
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(NamedResults, RunsAndComparisonsAreTaken) {
  EXPECT_EQ(refusal("night"), "");
  EXPECT_EQ(refusal("night.json"), "");
  EXPECT_EQ(refusal("pairs"), "");
}

TEST_F(NamedResults, WhatIsNeitherIsToldWithWhatWasFoundAndWhatIsNear) {
  const std::string expected =
      "expected a comparison (comparison.json, which compare -o, check and ab write), the folder "
      "of `ab`, a run directory, or a baseline; near it: ";
  const std::string missing = refusal("nope.json");
  EXPECT_NE(missing.find("DIR/nope.json: found nothing there; " + expected), missing.npos)
      << missing;
  EXPECT_NE(missing.find("DIR/night.json"), missing.npos) << missing;
  EXPECT_NE(missing.find("DIR/night", missing.find("DIR/night.json") + 14), missing.npos)
      << missing;
  EXPECT_EQ(missing.find("other.json"), missing.npos) << missing;
  EXPECT_NE(refusal("other.json").find("found a file that is none of them"), std::string::npos);
  EXPECT_NE(refusal("").find("found a folder without a run.json"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
