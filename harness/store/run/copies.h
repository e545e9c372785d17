/// Runs that lie in a folder more than once: a run directory that was copied counts once.
///
/// When they start does not tell runs apart, since two may in one second; what they measured does.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/run/run_json.h"

namespace plumbline {

/// The run directories that were met so far.
class MetRuns {
 public:
  /// The one that was met before with the same start and the same results.csv; "" where there is
  /// none, and this one is met now. Throws Error where results.csv of runs with the same start
  /// cannot be read.
  std::string met(const std::string& run_directory, const RunFile& file);

 private:
  using Met = std::pair<std::string, std::optional<ResultsSeal>>;
  std::map<std::string, std::vector<Met>> by_start_;
};

/// For a reader who wonders where a run has gone.
std::string copy_note(const std::string& copy, const std::string& met);

}  // namespace plumbline
