/// Baselines: runs that were accepted, small enough for git.
///
/// `<baselines>/<device>/<suite>.csv` + `.json`, in the format of a run, with each block reduced to
/// its median and the rows sorted by case, metric and round. read_run reads them. A folder is one
/// device class's (baseline_folder).
/// Whether a run deserves to be accepted is for the person who accepts it to judge.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace plumbline {

/// What is done with cases of the earlier baseline that the run did not measure.
enum class Unmeasured {
  keep,  // the run was filtered
  drop,  // the run selected all cases of its suites
};

struct AcceptedSuite {
  std::string suite;
  std::string path;                   // of the csv
  std::size_t cases = 0;              // of the run, accepted as OK or UNVERIFIED
  std::size_t not_run = 0;            // EXCLUDED or UNSUPPORTED, accepted as such
  std::vector<std::string> not_ok;    // "CASE: STATUS reason" of the others, accepted as such
  std::vector<std::string> left_out;  // the same, not accepted: INTERRUPTED, never measured
  std::string replaced;  // who accepted the earlier baseline, when and why; "" = there was none
  std::vector<std::string> kept;     // ids taken over from the earlier baseline
  std::vector<std::string> dropped;  // ids of the earlier baseline that are gone
  std::vector<std::string> notes;    // what differs between the kept cases' conditions and these
};

/// Writes the run's results as baselines, one for each of its suites, and says what became of each
/// case. `acceptance.source_hash` is filled in from the run's results.csv. Throws Error, before
/// anything is written, for a run that is unfinished, has no case with samples, or is itself a
/// baseline, or a suite's name is longer than kLongestSuiteName; and where an earlier baseline in
/// its place is of another device class or measurement revision.
std::vector<AcceptedSuite> accept(const Run& run, const std::string& baselines_directory,
                                  const Acceptance& acceptance,
                                  Unmeasured unmeasured = Unmeasured::keep);

/// Name of the folder that holds the baselines of that device class, or that they are to go to: the
/// device's (nvidia-h200), unless it holds those of another class; then one of the class's own.
/// Throws Error where a baseline beside cannot be read, or the class has no name.
std::string baseline_folder(const std::string& baselines_directory, const Environment& environment);

/// Path of the csv of the accepted baseline for that device class and suite, if there is one.
std::optional<std::string> find_baseline(const std::string& baselines_directory,
                                         const Environment& environment, const std::string& suite);

}  // namespace plumbline
