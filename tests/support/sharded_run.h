/// A run as shards: the same rows, divided by case into run directories.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/run/run.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"
#include "support/run_files.h"
#include "support/synthetic_run.h"

namespace plumbline {

/// The record and rows of shard `index` (from 1) of `count`: every count-th case, as declared.
inline Run shard_of(const Run& whole, std::size_t index, std::size_t count) {
  Run shard;
  shard.info = whole.info;
  shard.info.shard = std::to_string(index) + "/" + std::to_string(count);
  shard.info.command.insert(shard.info.command.end(), {"--shard", shard.info.shard, "-o", "out"});
  SuiteRef& suite = shard.info.suites[0];
  const SuiteRef& all = whole.info.suites[0];
  suite.cases.clear();
  std::set<std::string> own;
  for (std::size_t i = index - 1; i < all.cases.size(); i += count) {
    suite.cases.push_back(all.cases[i]);
    suite.positions.push_back(std::int64_t(i));
    own.insert(all.cases[i]);
  }
  for (const ResultRow& row : whole.rows)
    if (own.contains(row.case_id)) shard.rows.push_back(row);
  return shard;
}

/// A synthetic run whose record names its cases.
inline Run run_with_cases(const SyntheticShape& shape) {
  Run run = synthetic_run(shape);
  std::vector<std::string>& cases = run.info.suites[0].cases;
  for (std::size_t i = 0; i < shape.cases; ++i)
    cases.push_back(run.rows[i * shape.metrics].case_id);
  run.info.selected_cases = std::int64_t(shape.cases);
  run.info.environment.commit = "0123456789";
  for (ResultRow& row : run.rows) row.device = run.info.environment.device_uuid();
  return run;
}

/// Writes the shards as FOLDER/s1, FOLDER/s2, … and returns their paths.
inline std::vector<std::string> write_shards(const Run& whole, std::size_t count,
                                             const std::string& folder) {
  std::vector<std::string> paths;
  for (std::size_t i = 1; i <= count; ++i) {
    paths.push_back(folder + "/s" + std::to_string(i));
    write_run(shard_of(whole, i, count), paths.back());
  }
  return paths;
}

/// Writes the run that `plumbline merge` makes of those shards of `whole`.
inline void write_merged(const Run& whole, const std::vector<std::string>& shards,
                         const std::string& path) {
  Run merged = whole;
  merged.rows.clear();
  for (const std::string& shard : shards) {
    const RunFile file = read_run_json(shard + "/run.json");
    merged.info.shards.push_back({.shard = file.info.shard,
                                  .folder = std::filesystem::path(shard).filename().string(),
                                  .started_at = file.info.started_at,
                                  .finished_at = file.info.finished_at,
                                  .results_hash = results_hash(file.results, shard),
                                  .device_uuids = file.info.environment.device_uuids,
                                  .environment = {},
                                  .calibration = {}});
    for (ResultRow& row : read_run(shard).rows) merged.rows.push_back(std::move(row));
  }
  write_run(merged, path);
}

}  // namespace plumbline
