/// Checks that pairs measured what a verdict is about: the code differs where the runs say so, and
/// the baseline's side is the accepted one.
///
/// Compares recorded hashes; reads no files. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"

namespace plumbline {

/// The two runs of the pairs, and the names of the sides.
struct PairedSides {
  const Run& a;
  const Run& b;
  std::string name_a, name_b;
  bool have_own_workers = false;  // a commit can change the worker, too
  bool have_one_worker = false;   // their workers are the same program
  std::string root_a, root_b;     // full paths
};

/// By case, under today's names.
struct SideCode {
  /// Why the case cannot be judged: both sides ran the same bytes although the records of baseline
  /// and candidate differ, or one side read the other's files.
  std::map<CaseKey, std::string> refused;
  /// How the baseline's side differs from what was accepted. A movement against the accepted result
  /// then does not come from the environment alone.
  std::map<CaseKey, std::string> not_accepted;
  std::vector<std::string> notes;
};

/// `baseline`, `candidate`: the accepted result and the judged run. Without a recorded hash, no
/// claim is made.
SideCode compare_code(const Run& baseline, const Run& candidate, const PairedSides& sides,
                      const CompareOptions& options);

/// For pairs without an accepted result: files of one side that the other side read, and a note if
/// both sides are the same.
SideCode compare_code(const PairedSides& sides);

/// Sets the refused cases to NOT_JUDGED and adds the notes.
void refuse(const SideCode& code, Comparison& comparison);

}  // namespace plumbline
