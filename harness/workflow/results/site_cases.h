/// Cases of a site over its runs: from rows of the site's records to the content of pages.
///
/// Does not know files.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/history/regressions.h"
#include "reports/site/site.h"

namespace plumbline {

/// A case with its rows in order of time.
struct CaseRowsOverTime {
  struct RowOf {
    std::size_t run = 0;
    const SiteRow* row = nullptr;
  };
  std::vector<RowOf> rows;  // at least one
  bool is_touched = false;  // a new run has the case
};

/// By suite and case. `runs` must be in order of time.
std::vector<CaseRowsOverTime> cases_over_time(
    const std::vector<KeyedRun>& runs, const std::function<bool(const std::string& key)>& is_new);

/// The runs as a history without series; keys serve as paths.
History history_of(const std::vector<KeyedRun>& runs);

/// By suite and device class.
using SuiteSizes = std::map<std::pair<std::string_view, std::string_view>, std::vector<SuiteSize>>;
SuiteSizes suite_sizes(const std::vector<KeyedRun>& runs);

/// The result points into `history` and `rows`, which must outlive it.
SiteCase read_case(const CaseRowsOverTime& rows, const History& history, const SuiteSizes& sizes,
                   const Decisions& decisions);

}  // namespace plumbline
