/// A run made the baseline of its device class and suites: what `accept` does.
#pragma once

#include <string>
#include <vector>

#include "store/run/baseline.h"
#include "store/verdict/ledger_json.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

struct AcceptRequest {
  std::string run, by, why;  // by "": git's user, or who is logged in
  bool replaces = false;     // begins anew
  std::string even_so;       // why a run is accepted that could show little
  PlaceRequest places;
};

struct AcceptResult {
  std::vector<AcceptedSuite> suites;
  std::vector<LedgerEntry> spent;  // taken out of the ledger: they are in the baselines now
  std::string ledger;              // its file, if that changed
};

/// Throws Error, also where nothing says which project the run belongs to, and where a third of the
/// run's cases or more could not show what counts (run_noise.h) and `even_so` is empty.
AcceptResult accept_run(const AcceptRequest& request, Talk& talk);

}  // namespace plumbline
