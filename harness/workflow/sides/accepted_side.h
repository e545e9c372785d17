/// Whether the baseline's side still holds the code that was accepted.
///
/// Compares recorded hashes with files; measures nothing.
#pragma once

#include <set>

#include "analysis/compare/compare.h"
#include "workflow/sides/side.h"

namespace plumbline {

/// Of the cases that numbers decided those whose accepted result is of other code than `side` holds
/// now: files of their suite differ (the suite itself, sources, libraries), and the side is not the
/// clean commit that was accepted. The comparison with the accepted result says nothing about this
/// side. Cases without code of the suite's own are never among them.
std::set<CaseKey> cases_of_other_code(const Comparison& screened, const Run& accepted,
                                      const Side& side);

}  // namespace plumbline
