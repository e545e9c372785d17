#include "store/run/copies.h"

namespace plumbline {

std::string MetRuns::met(const std::string& run_directory, const RunFile& file) {
  std::vector<Met>& alike = by_start_[file.info.started_at];
  for (const auto& [path, seal] : alike)
    if (results_hash(seal, path) == results_hash(file.results, run_directory)) return path;
  alike.emplace_back(run_directory, file.results);
  return "";
}

std::string copy_note(const std::string& copy, const std::string& met) {
  return copy + " is a copy of " + met + " and is left out";
}

}  // namespace plumbline
