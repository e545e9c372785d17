/// A night of 1,000 shards with 10⁵ cases in all: the data for timing `plumbline merge` and
/// `plumbline status`.
#pragma once

#include <filesystem>
#include <string>

#include "store/run/run_writer.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {

class ShardsMaterial {
 public:
  static constexpr std::size_t kShards = 1'000, kCases = 100'000, kRounds = 3;

  ShardsMaterial() {
    for (std::size_t shard = 0; shard < kShards; ++shard) write_run(made(shard), path(shard));
  }

  std::string shards() const { return folder_ / "night"; }
  std::string merged() const { return folder_ / "merged"; }

  /// Of all files, without the merged run.
  double bytes() const {
    double sum = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(shards()))
      if (entry.is_regular_file()) sum += double(entry.file_size());
    return sum;
  }

 private:
  std::string path(std::size_t shard) const {
    return shards() + "/shard-" + std::to_string(1 + shard);
  }

  /// Every kShards-th case, each shard on one of 200 devices.
  static Run made(std::size_t shard) {
    constexpr SyntheticShape kShape{.cases = kCases, .rounds = kRounds, .blocks = 8, .samples = 6};
    Run run = synthetic_run({.cases = 0});
    const std::string node = std::to_string(shard % 200);
    run.info.environment.host = "node-" + node;
    run.info.environment.device_uuids = {"GPU-00000000-0000-0000-0000-000000000" +
                                         std::to_string(100 + shard % 200)};
    run.info.shard = std::to_string(1 + shard) + "/" + std::to_string(kShards);
    run.info.command = {"plumbline", "run", "synthetic.yaml", "--shard", run.info.shard};
    run.info.calibration = {{"copy_bytes_per_s", 4.1e12}, {"matmul_float16_flops_per_s", 6.8e14}};
    run.info.selected_cases = kCases;
    for (std::size_t i = shard; i < kCases; i += kShards)
      for (std::size_t round = 0; round < kRounds; ++round) {
        ResultRow& row = run.rows.emplace_back(synthetic_row(kShape, round, i, 0));
        row.device = run.info.environment.device_uuid();
        if (round > 0) continue;
        run.info.suites[0].cases.push_back(row.case_id);
        run.info.suites[0].positions.push_back(std::int64_t(i));
      }
    return run;
  }

  TemporaryFolder folder_;
};

}  // namespace plumbline
