/// Whether pairs measured what a verdict is about: code that differs where it is said to differ,
/// and the baseline's side as it was accepted.
///
/// Compares recorded hashes; reads no files. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"

namespace plumbline {

/// What the pairs ran: both runs, and how the sides are called.
struct PairedSides {
  const Run& a;
  const Run& b;
  std::string name_a, name_b;
  bool have_own_workers = false;  // a commit can change the worker, too
  bool have_one_worker = false;   // their workers are the same program
  std::string root_a, root_b;     // whole paths
};

/// By case, under today's names.
struct SideCode {
  /// Why nothing can be said of the case: both sides ran the same bytes although the baseline and
  /// the candidate are recorded to differ, or one side read the other's files.
  std::map<CaseKey, std::string> refused;
  /// What of the baseline's side is not what was accepted, so that a movement against the accepted
  /// result is not the environment's alone.
  std::map<CaseKey, std::string> not_accepted;
  std::vector<std::string> notes;
};

/// `baseline`, `candidate`: the accepted result and the run that is judged. Where a hash was not
/// recorded nothing is claimed.
SideCode compare_code(const Run& baseline, const Run& candidate, const PairedSides& sides,
                      const CompareOptions& options);

/// Of pairs alone, without an accepted result: what one side read of the other's, and a note where
/// both sides are the same.
SideCode compare_code(const PairedSides& sides);

/// Makes the refused cases NOT_JUDGED, and tells the notes.
void refuse(const SideCode& code, Comparison& comparison);

}  // namespace plumbline
