/// Compares failures that suites expect (`expect:`) with how cases ended.
///
/// Knows statuses but not suites: runs carry the expectations (RunInfo::expected).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "core/run/run.h"

namespace plumbline {

/// How a case ended, over all rounds.
struct CaseOutcome {
  std::string_view suite, case_id;
  Status status = Status::ok;
};

/// Looks up the expectations of a case. Keeps views into `expected`, which must outlive it.
class Expectations {
 public:
  explicit Expectations(std::span<const ExpectedFailure> expected);

  /// The expectation of the case that came true; nullptr if none did.
  const ExpectedFailure* met(std::string_view suite, std::string_view case_id, Status status) const;

  /// "WRONG: off by 1, as suite.yaml:7 expects: the library errs"; "" if no expectation came true.
  std::string fulfilled_by(const CaseRows& found) const;

  /// One sentence for each entry of a suite whose cases are OK although it expects them to fail:
  /// the entry can go, or is too wide. In the order of the entries; `outcomes`: each case once.
  std::vector<std::string> outlived(std::span<const CaseOutcome> outcomes) const;
  std::vector<std::string> outlived(std::span<const CaseRows> cases) const;

 private:
  std::span<const ExpectedFailure> expected_;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const ExpectedFailure*>>
      by_case_;
};

}  // namespace plumbline
