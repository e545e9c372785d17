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

/// A case of a cause with its findings, the most costly first.
struct ChangedCase {
  std::vector<std::size_t> findings;  // indices into Comparison::findings
  const CaseEvidence* evidence = nullptr;
};

struct CauseDraft {
  Cause cause;
  std::vector<ChangedCase> cases;
};

/// Changes of one kind may have one cause: same direction, same new status, same measure.
struct ChangeKind {
  Verdict verdict;
  std::string status, measure;
  auto operator<=>(const ChangeKind&) const = default;
};

/// What the finding says about this kind of change; silent: nothing.
enum class Stance { changed, unchanged, open, silent };
Stance stance_of(const Finding& finding, const ChangeKind& kind);

/// Joins drafts of different ops that share what changed: a clock that explains them, a kernel that
/// few others run, or a library or driver that most of its cases follow. All `drafts` are of one
/// kind.
void join_over_ops(std::vector<CauseDraft>& drafts, const ChangeKind& kind,
                   const Comparison& comparison, const EvidenceOf& evidence_of);

}  // namespace plumbline
