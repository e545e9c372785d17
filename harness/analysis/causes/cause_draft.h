/// Causes while they are being found: findings that changed alike, and what is known of each case.
///
/// Internal to causes.cpp and shared_traits.cpp.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/estimate/recorded.h"

namespace plumbline {

/// A case of a cause: its findings, the worst (dearest) first.
struct ChangedCase {
  std::vector<std::size_t> findings;  // indices into the comparison's
  const CaseEvidence* evidence = nullptr;
};

struct CauseDraft {
  Cause cause;
  std::vector<ChangedCase> cases;
};

/// A change is of one kind where its causes may be one: same direction, same end, same measure.
struct ChangeKind {
  Verdict verdict;
  std::string status, measure;
  auto operator<=>(const ChangeKind&) const = default;
};

/// Whether the finding speaks about this kind of change, and if so how.
enum class Stance { changed, unchanged, open, silent };
Stance stance_of(const Finding& finding, const ChangeKind& kind);

/// Joins drafts of different ops that share what changed: a clock that explains them, a kernel that
/// all of them run and that hardly runs elsewhere, a library or driver under most of its cases.
/// `drafts` are of one kind.
void join_over_ops(std::vector<CauseDraft>& drafts, const ChangeKind& kind,
                   const Comparison& comparison, const EvidenceOf& evidence_of);

}  // namespace plumbline
