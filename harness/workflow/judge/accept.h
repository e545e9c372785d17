/// Makes a run the baseline of its device class and suites: the command `accept`.
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
  std::string run, author, why;  // author: "" = git's user, or the login name
  bool replaces = false;         // starts new baselines
  std::string even_so;           // why to accept a run that could show little
  PlaceRequest places;
  bool dry_run = false;  // nothing is written
};

struct AcceptResult {
  std::vector<AcceptedSuite> suites;
  std::vector<LedgerEntry> spent;  // removed from the ledger: the baselines include them now
  std::string ledger;              // its file, if that changed
};

/// Throws Error; also if the run's project is unknown, or if a third of its cases could not show
/// what counts (run_noise.h) and `even_so` is empty.
AcceptResult accept_run(const AcceptRequest& request, Talk& talk);

/// Why accept_run() would refuse the run as it is, without its path; "" if it would not.
/// `baselines`: the folder of accepted runs, "" for that of the run's project.
std::string refusal_of(const Run& run, const std::string& baselines);

/// Sets `refusal` for the candidate and the baselines that it was compared with.
void add_refusal(const Run& candidate, Comparison& comparison);

}  // namespace plumbline
