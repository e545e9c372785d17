/// The samples that NVBench writes beside its JSON (--jsonbin).

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "import/import.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::vector<double> samples_of(const ResultRow& row) {
  return {row.samples.values().begin(), row.samples.values().end()};
}

class NvbenchSampleFiles : public testing::Test {
 protected:
  NvbenchSampleFiles() { fs::create_directory(folder_ / "r.json-bin"); }

  /// A result of one state, as NVBench writes it: `name` and `size` are of its file of samples.
  void write_json(const std::string& name, const std::string& size, double mean) {
    const std::string file =
        name.empty() ? ""
                     : R"({"name": "filename", "type": "string", "value": ")" + name +
                           R"("}, {"name": "size", "type": "int64", "value": ")" + size + R"("}, )";
    write_file(json_, R"({"meta": {"argv": ["./reduce"]}, "devices": [{"id": 0, "name": "GPU A"}],
      "benchmarks": [{"name": "sum", "states": [{"device": 0, "axis_values": [], "summaries": [
        {"tag": "nv/cold/time/cpu/mean", "data": [{"name": "value", "type": "float64", "value": "3"}]},
        {"tag": "nv/cold/time/gpu/mean", "data": [{"name": "value", "type": "float64", "value": ")" +
                          std::to_string(mean) + R"("}]},
        {"tag": "nv/cold/bw/global/bytes_per_second",
         "data": [{"name": "value", "type": "float64", "value": "100"}]},
        {"tag": "nv/json/bin:nv/cold/sample_times", "data": [)" +
                          file + R"({"name": "hide", "type": "string", "value": "x"}]}
      ], "is_skipped": false}]}]})");
  }
  void write_samples(const std::vector<float>& times, const std::string& more = "") {
    std::string bytes;
    for (const float time : times) {
      const auto word = std::bit_cast<std::uint32_t>(time);
      for (int shift = 0; shift < 32; shift += 8)
        bytes += static_cast<char>((word >> shift) & 0xFF);
    }
    write_file(folder_ / "r.json-bin/0.bin", bytes + more);
  }
  std::string mistake() {
    try {
      import_nvbench({json_});
    } catch (const Error& error) {
      std::string message = error.what();
      const std::string folder = folder_.path() + "/";
      for (std::size_t at; (at = message.find(folder)) != std::string::npos;)
        message.erase(at, folder.size());
      return message;
    }
    return "no mistake";
  }

  TemporaryFolder folder_;
  std::string json_ = folder_ / "r.json";
};

TEST_F(NvbenchSampleFiles, TakeThePlaceOfTheMean) {
  write_samples({0.5F, 0.25F, 1.5F});
  // Older versions recorded the name as from the folder in which the program ran.
  for (const char* name : {"r.json-bin/0.bin", "/gone/results/r.json-bin/0.bin"}) {
    write_json(name, "3", 0.75);
    const Imported found = import_nvbench({json_});
    const plumbline::Run& run = found.runs.at(0);
    ASSERT_EQ(run.rows.size(), 1U);  // the mean of the host's times would hide these
    EXPECT_EQ(run.rows[0].metric, "nvbench_gpu_time_cold");
    EXPECT_EQ(samples_of(run.rows[0]), (std::vector<double>{0.5, 0.25, 1.5}));
    EXPECT_EQ(run.rows[0].samples.blocks(), 1U);
    EXPECT_DOUBLE_EQ(run.rows[0].bytes, 75);  // 100 B/s for the mean time
    ASSERT_EQ(found.notes.size(), 1U);
    EXPECT_EQ(found.notes[0], json_ +
                                  ": means that are left out, since samples are beside them: "
                                  "nvbench_cpu_time_cold (1)");
  }
}

TEST_F(NvbenchSampleFiles, ThatAreMissingLeaveTheMeanAndAreTold) {
  write_json("r.json-bin/0.bin", "3", 0.75);
  Imported found = import_nvbench({json_});
  EXPECT_EQ(samples_of(found.runs.at(0).rows[0]), std::vector<double>{0.75});
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0], json_ +
                                ": 1 of 1 cases have no samples, and their times are means, one "
                                "value each: " +
                                (folder_ / "r.json-bin/0.bin") + " does not exist");
  write_json("", "", 0.75);
  found = import_nvbench({json_});
  EXPECT_EQ(found.runs.at(0).rows[0].samples.values().size(), 1U);
  EXPECT_NE(found.notes.at(0).find("NVBench could not write them"), std::string::npos);
}

TEST_F(NvbenchSampleFiles, ThatAreCutOrOfAnotherRunAreRefused) {
  write_json("r.json-bin/0.bin", "3", 0.75);
  write_samples({0.5F, 0.25F});
  EXPECT_EQ(mistake(),
            "r.json-bin/0.bin: found 8 bytes, expected 3 samples of 4 bytes, as r.json: case "
            "sum/reduce says");
  write_samples({0.5F, 0.25F}, "abc");
  EXPECT_NE(mistake().find("found 11 bytes"), std::string::npos) << mistake();
  write_samples({0.5F, 0.25F, 1.75F});
  EXPECT_NE(mistake().find("they are of another run"), std::string::npos) << mistake();
  for (const float bad : {0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN()}) {
    write_samples({0.5F, bad, 1.75F});
    EXPECT_NE(mistake().find("r.json-bin/0.bin: sample 2 is "), std::string::npos) << mistake();
  }
}

TEST_F(NvbenchSampleFiles, LieBesideTheJson) {
  write_samples({0.5F, 0.25F, 1.5F});
  for (const char* name : {"r.json-bin/..", "../..", "r.json-bin/", "../0.bin"}) {
    write_json(name, "3", 0.75);
    EXPECT_NE(mistake().find("found the file name"), std::string::npos) << name << mistake();
  }
  write_json("r.json-bin/0.bin", "many", 0.75);
  EXPECT_NE(mistake().find("expected the number of samples, 'size'"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
