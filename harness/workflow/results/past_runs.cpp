#include "workflow/results/past_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "core/error.h"
#include "store/index/history.h"
#include "workflow/setup/project.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostNamed = 5;

/// Indexes of the series of the case. Throws Error that names some known cases if there is none.
std::vector<std::size_t> series_of(const History& history, const HistoryRequest& request) {
  std::vector<std::size_t> found;
  std::set<std::string> like;
  for (std::size_t i = 0; i < history.series.size(); ++i) {
    const Series& series = history.series[i];
    const bool is_asked =
        request.metrics.empty() ||
        std::ranges::find(request.metrics, series.metric) != request.metrics.end();
    if (series.case_id == request.case_id && is_asked) found.push_back(i);
    if (series.case_id.find(request.case_id) != std::string::npos) like.insert(series.case_id);
  }
  if (!found.empty()) return found;
  std::string text = "no run holds a time of the case '" + request.case_id + "'";
  if (like.contains(request.case_id))
    text += " in the metrics asked for";
  else if (like.empty())
    text += "; `plumbline list` names the cases of a suite";
  else
    text += "; those whose id holds it:";
  std::size_t named = 0;
  for (const std::string& id : like)
    if (!like.contains(request.case_id) && ++named <= kMostNamed) text += "\n  " + id;
  if (named > kMostNamed) text += fmt::format("\n  and {} more", named - kMostNamed);
  throw Error(text);
}

/// The path that the history uses for the named run; "" if no run was named.
std::string anchor_of(const History& history, const std::string& named) {
  if (named.empty()) return "";
  const auto whole = [](const std::string& path) {
    return std::filesystem::weakly_canonical(path);
  };
  for (const PastRun& run : history.runs)
    if (whole(run.path) == whole(named)) return run.path;
  throw Error("--anchor " + named + ": it is none of the finished runs that were read");
}

}  // namespace

History past_runs(const std::string& folder, const Baseline& baseline, const Run& candidate,
                  Talk& talk) {
  HistoryFolder found;
  if (!folder.empty()) found = read_history(folder, [&](const auto& line) { talk.say(line); });
  for (const Run& other : baseline.others) {
    found.runs.push_back(summary_of(other));
    found.runs.back().run.is_accepted = true;
  }
  talk.notes(found.notes);
  const auto own = std::filesystem::weakly_canonical(candidate.path);
  std::erase_if(found.runs, [&](const RunSummary& summary) {
    return std::filesystem::weakly_canonical(summary.run.path) == own;
  });
  RunSummary accepted = summary_of(baseline.run), judged = summary_of(candidate);
  EarlierRuns earlier = earlier_runs(std::exchange(found.runs, {}), accepted, judged);
  talk.notes(earlier.notes);
  accepted.run.is_baseline = true;
  judged.run.is_candidate = true;
  earlier.runs.push_back(std::move(accepted));
  earlier.runs.push_back(std::move(judged));
  return history_of(std::move(earlier.runs), found, "", false);
}

CaseHistory history_of_case(const HistoryRequest& request, Talk& talk) {
  const HistoryFolder folder = read_history(find_project(".", request.places).places.runs,
                                            [&](const auto& line) { talk.say(line); });
  talk.notes(folder.notes);
  CaseHistory found{history_of(folder.runs, folder, request.case_id), {}, {}};
  const std::string anchor = anchor_of(found.history, request.anchor);
  if (found.history.series.empty()) found.history = history_of(folder.runs, folder);  // for names
  for (const std::size_t i : series_of(found.history, request))
    found.series.push_back(
        {i, read_series(found.history, found.history.series[i], found.rule, anchor)});
  return found;
}

}  // namespace plumbline
