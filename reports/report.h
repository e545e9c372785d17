/// One self-contained HTML page about a run, alone or compared with its baseline.
///
/// Everything is inside the file: it opens from disk, makes no request, and says with scripts off
/// what matters. Reads no file and knows no store: it is given what it shows.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "analysis/compare/comparison.h"
#include "analysis/history/history.h"
#include "core/run/run.h"
#include "core/value.h"

namespace plumbline {

struct ReportInput {
  const Run* candidate = nullptr;          // required
  const Run* baseline = nullptr;           // null: no samples of the baseline are drawn
  const Comparison* comparison = nullptr;  // null: a run alone
  const History* history = nullptr;  // of runs up to and with the candidate; null: none is known
  /// Of an op's parameters: what a case whose id does not name them is at. Unknown ops have none.
  std::map<std::string, Params, std::less<>> defaults{};
  std::string title{};    // of the window; "" = made from suite and commit
  std::string project{};  // name of the project measured, "" = unknown
  std::string commit_subject{}, commit_author{}, commit_time{};  // "" = unknown
  std::size_t size_limit_bytes = 10'000'000;  // samples are reduced to fit it; see sections/detail
};

/// The page. Throws Error where there is no candidate.
std::string render_report(const ReportInput& input);

}  // namespace plumbline
