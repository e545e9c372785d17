/// Copied run directories: a run that is several times in a folder counts once.
///
/// The start time does not identify a run, since two can start in one second; their results do.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/run/run_json.h"

namespace plumbline {

/// The run directories seen so far.
class MetRuns {
 public:
  /// The directory seen before with the same start and the same results.csv. "" if there is none;
  /// this one then counts as seen. Throws Error if results.csv of runs with the same start cannot
  /// be read.
  std::string met(const std::string& run_directory, const RunFile& file);

 private:
  using Met = std::pair<std::string, std::optional<ResultsSeal>>;
  std::map<std::string, std::vector<Met>> by_start_;
};

/// Explains to the user why a run is left out.
std::string copy_note(const std::string& copy, const std::string& met);

}  // namespace plumbline
