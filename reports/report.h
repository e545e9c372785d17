/// One self-contained HTML page about a run, alone or compared with its baseline.
///
/// Everything is in the file: it opens from disk, makes no requests, and shows the essentials
/// without scripts. Reads no file and knows no store: the caller passes its content.
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
  const Run* baseline = nullptr;           // null: no samples of the baseline are shown
  const Comparison* comparison = nullptr;  // null: a run alone
  const History* history = nullptr;        // runs up to and including the candidate; null: unknown
  /// For each op, the defaults of parameters that ids leave out. Unknown ops have none.
  std::map<std::string, Params, std::less<>> defaults{};
  std::string title{};    // of the window; "" = from suite and commit
  std::string project{};  // name of the measured project, "" = unknown
  std::string commit_subject{}, commit_author{}, commit_time{};  // "" = unknown
  std::size_t size_limit_bytes = 10'000'000;  // samples are reduced to fit; see sections/detail
};

/// The page. Throws Error without a candidate.
std::string render_report(const ReportInput& input);

}  // namespace plumbline
