/// bisect.json: what a search over versions measured, so that it can go on after an interruption.
///
/// Reads and writes the file; decides nothing (analysis/bisect/bisection.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

struct BisectRecord {
  /// Pairs of two positions, as they were added.
  struct Step {
    std::size_t baseline = 0, candidate = 0;
    std::vector<double> log_ratios;
    std::string folder;  // of the pairs, inside the search's folder
  };
  struct Skipped {
    std::size_t position = 0;
    std::string reason;
  };

  std::vector<std::string> versions;  // commits or names, GOOD first, BAD last
  std::string case_id;
  std::string metric;               // "" before the first pairs
  std::string device;               // its UUID; "" before the first pairs
  std::optional<double> threshold;  // a fraction; nothing before the first pairs
  std::string asked;                // what else decides the numbers: suites, options, worker
  std::vector<Step> steps;
  std::vector<Skipped> skipped;
};

/// Atomic. Throws Error that names the file.
void write_bisect_record(const BisectRecord& record, const std::string& path);

/// Nothing if there is no such file. Throws Error for a file that is no such record.
std::optional<BisectRecord> read_bisect_record(const std::string& path);

}  // namespace plumbline
