/// Baselines: runs that were accepted, small enough for git.
///
/// `<baselines>/<device>/<suite>.csv` + `.json` (accepted_runs.h). A folder is one device class's
/// (baseline_folder). Whether a run deserves to be accepted is for the person who accepts it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "core/run/run.h"

namespace plumbline {

/// What is done with cases of the earlier baseline that the run did not measure.
enum class Unmeasured {
  keep,  // the run was filtered
  drop,  // the run selected all cases of its suites
};

/// Most runs of a baseline: the oldest one of the device that has most of them gives way.
inline constexpr std::size_t kMostAccepted = 10;

struct AcceptOptions {
  Unmeasured unmeasured = Unmeasured::keep;
  bool replaces = false;           // begins anew: no earlier run is kept
  std::set<CaseKey> changed = {};  // cases whose earlier runs no longer hold
  bool is_dry = false;             // all is said and checked, nothing is written
};

struct AcceptedSuite {
  std::string suite;
  std::string path;                             // of the csv
  std::size_t runs = 1, devices = 1, days = 1;  // that the baseline stands on now
  std::size_t cases = 0;                        // of the run, accepted as OK or UNVERIFIED
  std::size_t not_run = 0;                      // EXCLUDED or UNSUPPORTED, accepted as such
  std::vector<std::string> not_ok;    // "CASE: STATUS reason" of the others, accepted as such
  std::vector<std::string> left_out;  // the same, not accepted: INTERRUPTED, never measured
  std::string replaced;  // who accepted the earlier baseline, when and why; "" = it is kept, or
                         // there was none
  std::vector<std::string> anew;     // ids whose earlier runs were dropped: they changed
  std::vector<std::string> kept;     // ids that the run did not measure, of the earlier baseline
  std::vector<std::string> dropped;  // ids of the earlier baseline that are gone
  std::vector<std::string> notes;    // what differs between the kept cases' conditions and these
};

/// Throws Error for a run that accept() refuses wherever its baselines are.
void require_fit(const Run& run);

/// Adds the run to the baselines of its suites, each in a file of its own, and says what became of
/// each case. Earlier runs of a case are dropped where the case is another problem now, fails or no
/// longer does, or is among the changed. A run that is accepted again takes its own place.
/// `acceptance.source_hash` is filled in from the run's results.csv. Throws Error, before anything
/// is written, for a run that is unfinished, has no case with samples, or is itself a baseline, or
/// a suite's name is longer than kLongestSuiteName; and where an earlier baseline in its place is
/// of another device class, or of another measurement revision and has cases that are to be kept.
std::vector<AcceptedSuite> accept(const Run& run, const std::string& baselines_directory,
                                  const Acceptance& acceptance, const AcceptOptions& options = {});

/// Name of the folder that holds the baselines of that device class, or that they are to go to: the
/// device's (nvidia-h200), unless it holds those of another class; then one of the class's own.
/// Throws Error where a baseline beside cannot be read, or the class has no name.
std::string baseline_folder(const std::string& baselines_directory, const Environment& environment);

/// Path of the csv of the accepted baseline for that device class and suite, if there is one.
std::optional<std::string> find_baseline(const std::string& baselines_directory,
                                         const Environment& environment, const std::string& suite);

}  // namespace plumbline
