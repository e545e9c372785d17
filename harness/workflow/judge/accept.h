/// A run made the baseline of its device class and suites: what `accept` does.
#pragma once

#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "store/run/baseline.h"
#include "store/verdict/ledger_json.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

struct AcceptRequest {
  std::string run, by, why;  // by "": git's user, or who is logged in
  bool replaces = false;     // begins anew
  std::string even_so;       // why a run is accepted that could show little
  bool is_dry = false;       // says what it would do, and writes nothing
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

/// Why accept_run() would refuse the run as it is, without its path; "" where it would not.
/// `baselines`: the folder of accepted runs, "" for that of the run's project.
std::string refusal_of(const Run& run, const std::string& baselines);

/// The same of a comparison's candidate, and the accepted runs that it was held against.
void add_refusal(const Run& candidate, Comparison& comparison);

}  // namespace plumbline
