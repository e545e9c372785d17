/// Measures the claims of a bundle again, in pairs, on this machine. The command `replay`.
///
/// Code of a bundle runs in a sandbox, unless the user trusts it. Whether times can be compared is
/// asked before any of it runs.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/replay/replay.h"
#include "store/bundle/bundle_json.h"
#include "workflow/results/page.h"
#include "workflow/setup/request.h"
#include "workflow/sides/paired_run.h"
#include "workflow/sides/side.h"
#include "workflow/talk.h"

namespace plumbline {

struct ReplayRequest {
  std::string archive;
  std::set<std::string> cases;  // ids; none: all that the bundle is about
  bool is_trusted = false;      // its code runs with the user's rights, without a sandbox
  RunRequest run;               // device, worker, limits of the sandbox, output
  SidesOptions sides;           // workers, libraries and variables of the sides
  PairOptions pairs;
  std::vector<std::string> command;  // recorded in the runs
};

struct ReplayResult {
  int signal = 0;                    // that stopped it; there are no answers then
  std::string device;                // class of the device that measured; "" = none
  std::string folder;                // of the runs a and b; "" if nothing was measured
  std::vector<ClaimAnswer> answers;  // in the order of the comparison
  PageMaterial judged;               // of this machine; without a candidate if nothing was measured
};

/// Throws Error for a bundle that is refused or makes no claim, if there is no sandbox and the
/// bundle is not trusted, and as measure_ab().
ReplayResult replay(const ReplayRequest& request, Talk& talk);

}  // namespace plumbline
