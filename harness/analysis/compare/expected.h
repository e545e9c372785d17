/// Failures that suites expect (`expect:`), held against how cases ended.
///
/// Knows statuses, not suites: what is expected travels with the run (RunInfo::expected).
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

/// Looks up what is expected of a case. Views into `expected`, which must outlive it.
class Expectations {
 public:
  explicit Expectations(std::span<const ExpectedFailure> expected);

  /// What was expected of the case and came true; nullptr where nothing did.
  const ExpectedFailure* met(std::string_view suite, std::string_view case_id, Status status) const;

  /// "WRONG: off by 1, as suite.yaml:7 expects: the library errs"; "" where nothing came true.
  std::string fulfilled_by(const CaseRows& found) const;

  /// A sentence for each entry of a suite of which cases are OK though they were expected to fail:
  /// it can go, or is too wide. In the order of what is expected; `outcomes`: each case once.
  std::vector<std::string> outlived(std::span<const CaseOutcome> outcomes) const;
  std::vector<std::string> outlived(std::span<const CaseRows> cases) const;

 private:
  std::span<const ExpectedFailure> expected_;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const ExpectedFailure*>>
      by_case_;
};

}  // namespace plumbline
