#include "workflow/judge/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "analysis/compare/judge.h"
#include "analysis/compare/ledger_effects.h"
#include "core/error.h"
#include "core/moment.h"
#include "store/run/baseline.h"
#include "store/run/run_reader.h"
#include "store/verdict/ledger_json.h"
#include "workflow/results/input_runs.h"
#include "workflow/setup/git.h"
#include "workflow/setup/project.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDateLength = 10;  // of now_utc()

/// A baseline that has a case, and the metrics that it has for the case.
struct Holder {
  std::string device, suite;
  std::set<std::string> metrics;
};

/// The cases of all baselines that the request selects.
std::map<std::string, std::vector<Holder>> known_cases(const std::string& baselines,
                                                       const EntryRequest& request) {
  std::map<std::string, std::vector<Holder>> known;
  if (!fs::is_directory(baselines)) return known;
  for (const fs::directory_entry& folder : fs::directory_iterator(baselines)) {
    const std::string device = folder.path().filename().string();
    if (!folder.is_directory() || (!request.device.empty() && device != request.device)) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
      if (file.path().extension() != ".csv") continue;
      for (const ResultRow& row : read_run(file.path().string()).rows) {
        if (!request.suite.empty() && row.suite != request.suite) continue;
        std::vector<Holder>& holders = known[row.case_id];
        const bool is_new =
            holders.empty() || holders.back().device != device || holders.back().suite != row.suite;
        if (is_new) holders.push_back({device, row.suite, {}});
        if (!row.metric.empty()) holders.back().metrics.insert(row.metric);
      }
    }
  }
  return known;
}

/// The baselines that have the metric of a case.
std::vector<Holder> with_metric(const std::vector<Holder>& holders, const std::string& metric,
                                const std::string& case_id) {
  std::vector<Holder> found;
  std::set<std::string> metrics;
  for (const Holder& holder : holders) {
    metrics.insert(holder.metrics.begin(), holder.metrics.end());
    if (holder.metrics.contains(metric)) found.push_back(holder);
  }
  if (found.empty())
    throw Error(fmt::format("--metrics {}: the baselines of '{}' have: {}", metric, case_id,
                            fmt::join(metrics, ", ")));
  return found;
}

/// The baselines that hold the case; one without names if there are no baselines to check.
std::vector<Holder> holders_of(const std::string& baselines, const EntryRequest& request,
                               Talk& talk) {
  const auto known = known_cases(baselines, request);
  if (known.empty()) {
    talk.note(baselines + " holds no baseline" +
              (request.device.empty() && request.suite.empty() ? "" : " of that suite and device") +
              ": the case id is not checked");
    return {{request.device, request.suite, {}}};
  }
  const auto found = known.find(request.case_id);
  if (found == known.end()) {
    std::vector<std::string> ids;
    for (const auto& [id, holders] : known) ids.push_back(id);
    throw Error("no baseline in " + baselines + " holds the case '" + request.case_id +
                "'; the nearest is '" + nearest_id(request.case_id, ids) + "'");
  }
  return found->second;
}

LedgerEntry entry_of(const EntryRequest& request, const Project& project) {
  if (request.why.empty()) throw Error("--why TEXT is missing: who reads this later has to know");
  LedgerEntry entry;
  entry.kind = request.kind;
  entry.case_id = request.case_id;
  entry.change = request.change;
  entry.author = request.author.empty() ? author_in(project.base) : request.author;
  if (entry.author.empty()) throw Error("git knows no user.name here: say who with --author NAME");
  entry.reason = request.why;
  entry.at = today();
  entry.until = request.until;
  if (!request.until.empty() && !is_date(request.until))
    throw Error("--until " + request.until + ": expected a date, as in 2026-03-31");
  if (is_over(entry, entry.at))
    throw Error("--until " + request.until + ": that day has passed; today is " + entry.at);
  return entry;
}

/// The entry for each baseline that holds the case, and for each metric where some are named.
std::vector<LedgerEntry> entries_for(LedgerEntry entry, const std::vector<std::string>& metrics,
                                     const std::vector<Holder>& holders) {
  std::vector<LedgerEntry> entries;
  const auto add = [&](const std::vector<Holder>& baselines) {
    for (const Holder& holder : baselines) {
      entry.device = holder.device;
      entry.suite = holder.suite;
      entries.push_back(entry);
    }
  };
  if (metrics.empty()) add(holders);
  const bool is_known = holders.size() != 1 || !holders.front().metrics.empty();
  for (const std::string& metric : std::set<std::string>(metrics.begin(), metrics.end())) {
    entry.metric = metric;
    add(is_known ? with_metric(holders, metric, entry.case_id) : holders);
  }
  return entries;
}

bool is_same_place(const LedgerEntry& a, const LedgerEntry& b) {
  return a.kind == b.kind && a.case_id == b.case_id && a.metric == b.metric && a.suite == b.suite &&
         a.device == b.device;
}

/// The folder of the ledger: `baseline` (a folder of baselines, or one of them), or its parent.
std::string folder_of_ledger(const std::string& baseline) {
  fs::path folder = fs::weakly_canonical(fs::absolute(baseline));
  if (!is_baselines_folder(folder.string())) folder = folder.parent_path();
  if (!fs::exists(ledger_path(folder.string()))) folder = folder.parent_path();
  return folder.string();
}

}  // namespace

std::string today() { return now_utc().substr(0, kDateLength); }

WrittenEntries add_entries(const EntryRequest& request, Talk& talk) {
  const Project project = find_project(".", request.places);
  WrittenEntries written{ledger_path(project.places.baselines), {}};
  const std::vector<LedgerEntry> wanted =
      entries_for(entry_of(request, project), request.metrics,
                  holders_of(project.places.baselines, request, talk));
  edit_ledger(
      written.path,
      [&](std::vector<LedgerEntry>& entries) {
        for (const LedgerEntry& entry : wanted) {
          const auto known = std::ranges::find_if(
              entries, [&](const LedgerEntry& other) { return is_same_place(entry, other); });
          if (known == entries.end()) {
            entries.push_back(entry);
            written.entries.push_back({entry, std::nullopt});
          } else {
            written.entries.push_back({entry, std::exchange(*known, entry)});
          }
        }
      },
      request.dry_run);
  return written;
}

RemovedEntries remove_entries(const EntryRequest& request) {
  const Project project = find_project(".", request.places);
  RemovedEntries removed{ledger_path(project.places.baselines), {}};
  const auto is_meant = [&](const LedgerEntry& entry) {
    return entry.kind == request.kind && entry.case_id == request.case_id &&
           (request.metrics.empty() || std::ranges::count(request.metrics, entry.metric) > 0) &&
           (request.suite.empty() || entry.suite == request.suite) &&
           (request.device.empty() || entry.device == request.device);
  };
  edit_ledger(
      removed.path,
      [&](std::vector<LedgerEntry>& entries) {
        std::vector<std::string> ids;
        for (const LedgerEntry& entry : entries) {
          if (entry.kind == request.kind) ids.push_back(entry.case_id);
          if (is_meant(entry)) removed.entries.push_back(entry);
        }
        if (std::erase_if(entries, is_meant) > 0) return;
        const std::string near = nearest_id(request.case_id, ids);
        throw Error(fmt::format("{}: no such case is {}{}", removed.path, name_of(request.kind),
                                near.empty() ? "" : "; the nearest is '" + near + "'"));
      },
      request.dry_run);
  return removed;
}

std::vector<LedgerEntry> entries_of(const EntryRequest& request) {
  std::vector<LedgerEntry> entries =
      read_ledger(ledger_path(find_project(".", request.places).places.baselines));
  std::erase_if(entries, [&](const LedgerEntry& entry) {
    return entry.kind != request.kind ||
           (!request.case_id.empty() && entry.case_id != request.case_id);
  });
  return entries;
}

void apply_ledger_of(const std::string& baseline, Comparison& comparison) {
  const bool is_folder = is_baselines_folder(fs::weakly_canonical(fs::absolute(baseline)).string());
  const bool is_run = !is_folder && !comparison.baseline.acceptance;
  if (is_run || comparison.candidate.environment.device_class.empty()) return;
  const std::string folder = folder_of_ledger(baseline);
  apply_ledger(comparison, read_ledger(ledger_path(folder)),
               {baseline_folder(folder, comparison.candidate.environment), today()});
}

void require_readable_ledger(const std::string& baseline) {
  read_ledger(ledger_path(folder_of_ledger(baseline)));
}

}  // namespace plumbline
