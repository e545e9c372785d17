/// Which case of the baseline a case is compared with: by suite and id, through renames.
///
/// Knows nothing of what was measured of them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/estimate/estimate.h"

namespace plumbline {

/// The cases of a baseline, each handed out once.
class CaseMatching {
 public:
  /// `renames`: case of the baseline -> its id today. `cases` must outlive this.
  CaseMatching(const std::vector<CaseRows>& cases, const std::map<CaseKey, std::string>& renames);

  /// The case of that id, or of the nearest earlier id that the baseline has; nullptr where there
  /// is none that was not handed out before.
  const CaseRows* take(std::string_view suite, std::string_view case_id);

  /// Those that were not handed out, in their order.
  std::vector<const CaseRows*> left() const;

 private:
  const std::vector<CaseRows>& cases_;
  std::unordered_map<std::string_view, std::unordered_map<std::string_view, std::size_t>> places_;
  std::map<CaseKey, std::string> old_ids_;  // today's key -> the id before
  std::vector<bool> taken_;
};

}  // namespace plumbline
