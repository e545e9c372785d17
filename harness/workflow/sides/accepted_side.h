/// Whether the baseline's side still contains the accepted code.
///
/// Compares recorded hashes with files; measures nothing.
#pragma once

#include <set>

#include "analysis/compare/compare.h"
#include "workflow/sides/side.h"

namespace plumbline {

/// Cases decided by numbers whose accepted result is of other code than `side` has now: files of
/// their suite differ (the suite itself, sources, libraries), and the side is not the clean commit
/// that was accepted. The comparison with the accepted result then says nothing about this side.
/// Cases of suites without code are never included.
std::set<CaseKey> cases_of_other_code(const Comparison& screened, const Run& accepted,
                                      const Side& side);

}  // namespace plumbline
