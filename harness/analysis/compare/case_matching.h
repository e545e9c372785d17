/// Finds the baseline's case that a case is compared with: by suite and id, through renames.
///
/// Does not look at measured values.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/compare/status_decision.h"
#include "analysis/estimate/estimate.h"

namespace plumbline {

/// The cases of a baseline. Each is handed out once.
class CaseMatching {
 public:
  /// `renames`: case of the baseline -> its id today. `cases` must outlive this.
  CaseMatching(const std::vector<CaseRows>& cases, const std::map<CaseKey, std::string>& renames);

  /// The case with that id, or with the nearest earlier id that the baseline has; nullptr if there
  /// is none left.
  const CaseRows* take(std::string_view suite, std::string_view case_id);

  /// Both sides of each of `candidates`, then the cases that were not handed out. Sorted by suite
  /// and id, so that no sum depends on the order in which a run measured.
  std::vector<CaseSides> sides_with(const std::vector<CaseRows>& candidates);

 private:
  const std::vector<CaseRows>& cases_;
  std::unordered_map<std::string_view, std::unordered_map<std::string_view, std::size_t>> places_;
  std::map<CaseKey, std::string> old_ids_;  // today's key -> the previous id
  std::vector<bool> taken_;
};

}  // namespace plumbline
