/// Baselines: accepted runs, small enough for git.
///
/// `<baselines>/<device>/<suite>.csv` + `.json` (accepted_runs.h). A folder belongs to one device
/// class (baseline_folder). People decide whether a run should be accepted.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "core/run/run.h"

namespace plumbline {

/// What to do with cases of the earlier baseline that the run did not measure.
enum class Unmeasured {
  keep,  // the run was filtered
  drop,  // the run selected all cases of its suites
};

/// Most runs in a baseline. Of the device with most runs, the oldest run without a unique case is
/// dropped.
inline constexpr std::size_t kMostAccepted = 10;

struct AcceptOptions {
  Unmeasured unmeasured = Unmeasured::keep;
  bool replaces = false;           // begins anew: no earlier run is kept
  std::set<CaseKey> changed = {};  // cases whose earlier runs no longer hold
  bool writes = true;              // false: only what would be accepted is told
};

struct AcceptedSuite {
  std::string suite;
  std::string path;                             // of the csv
  std::size_t runs = 1, devices = 1, days = 1;  // in the baseline now
  std::size_t cases = 0;                        // of the run, accepted as OK or UNVERIFIED
  std::size_t not_run = 0;                      // EXCLUDED or UNSUPPORTED, accepted as such
  std::vector<std::string> not_ok;    // "CASE: STATUS reason" of other cases, accepted as such
  std::vector<std::string> left_out;  // the same, not accepted: INTERRUPTED, never measured
  std::string replaced;  // who accepted the earlier baseline, when and why; "" = it is kept, or
                         // there was none
  std::vector<std::string> anew;     // ids whose earlier runs were dropped because they changed
  std::vector<std::string> kept;     // ids only in the earlier baseline, not measured by the run
  std::vector<std::string> dropped;  // ids of the earlier baseline that were removed
  std::vector<std::string> notes;    // conditions that differ between the kept cases and the run
};

/// Throws Error for a run that accept() refuses in any folder.
void require_fit(const Run& run);

/// Adds the run to the baselines of its suites, one file per suite, and reports what happened to
/// each case. Earlier runs of a case are dropped if its revision differs, if it started or stopped
/// failing, or if it is in `changed`. A run that is accepted again replaces itself.
/// `acceptance.source_hash` is taken from the run's results.csv. Throws Error, before anything is
/// written, for a run that is unfinished, has no samples, or is itself a baseline. Also for a suite
/// name longer than kLongestSuiteName. Also if an earlier baseline in the same place is of another
/// device class, or has cases to keep of another measurement revision.
std::vector<AcceptedSuite> accept(const Run& run, const std::string& baselines_directory,
                                  const Acceptance& acceptance, const AcceptOptions& options = {});

/// The folder name for baselines of that device class, existing or new: the device's (nvidia-h200),
/// or one for the class if that folder holds another class. Throws Error if a baseline in these
/// folders cannot be read, or the class has no name.
std::string baseline_folder(const std::string& baselines_directory, const Environment& environment);

/// Path of the accepted baseline's csv for that device class and suite, if there is one.
std::optional<std::string> find_baseline(const std::string& baselines_directory,
                                         const Environment& environment, const std::string& suite);

}  // namespace plumbline
