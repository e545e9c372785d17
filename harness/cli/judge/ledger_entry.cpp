#include "cli/judge/ledger_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "analysis/compare/judge.h"
#include "analysis/compare/ledger_effects.h"
#include "cli/command.h"
#include "cli/console.h"
#include "core/error.h"
#include "core/moment.h"
#include "store/json/describe_ledger.h"
#include "store/run/baseline.h"
#include "store/run/run_reader.h"
#include "store/verdict/ledger_json.h"
#include "workflow/plan/git.h"
#include "workflow/plan/project.h"
#include "workflow/results/input_runs.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDateLength = 10;  // of now_utc()

std::string today() { return now_utc().substr(0, kDateLength); }

/// A baseline that holds a case, and the metrics that it has of it.
struct Holder {
  std::string device, suite;
  std::set<std::string> metrics;
};

/// The cases of all baselines that flags leave.
std::map<std::string, std::vector<Holder>> known_cases(const std::string& baselines,
                                                       const EntryFlags& flags) {
  std::map<std::string, std::vector<Holder>> known;
  if (!fs::is_directory(baselines)) return known;
  for (const fs::directory_entry& folder : fs::directory_iterator(baselines)) {
    const std::string device = folder.path().filename().string();
    if (!folder.is_directory() || (!flags.device.empty() && device != flags.device)) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
      if (file.path().extension() != ".csv") continue;
      for (const ResultRow& row : read_run(file.path().string()).rows) {
        if (!flags.suite.empty() && row.suite != flags.suite) continue;
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

/// The baselines that the entry is about; one without names where there are none to know the case.
std::vector<Holder> holders_of(const std::string& baselines, const EntryFlags& flags) {
  const auto known = known_cases(baselines, flags);
  if (known.empty()) {
    print_note(baselines + " holds no baseline" +
               (flags.device.empty() && flags.suite.empty() ? "" : " of that suite and device") +
               ": whether there is such a case is not checked");
    return {{flags.device, flags.suite, {}}};
  }
  const auto found = known.find(flags.case_id);
  if (found == known.end()) {
    std::vector<std::string> ids;
    for (const auto& [id, holders] : known) ids.push_back(id);
    throw Error("no baseline in " + baselines + " holds the case '" + flags.case_id +
                "'; the nearest is '" + nearest_id(flags.case_id, ids) + "'");
  }
  if (flags.metric.empty()) return found->second;
  std::vector<Holder> with_metric;
  std::set<std::string> metrics;
  for (const Holder& holder : found->second) {
    metrics.insert(holder.metrics.begin(), holder.metrics.end());
    if (holder.metrics.contains(flags.metric)) with_metric.push_back(holder);
  }
  if (with_metric.empty())
    throw Error(fmt::format("--metric {}: the baselines of '{}' have: {}", flags.metric,
                            flags.case_id, fmt::join(metrics, ", ")));
  return with_metric;
}

LedgerEntry entry_of(EntryKind kind, const EntryFlags& flags, const Project& project) {
  if (flags.why.empty()) throw Error("--why TEXT is missing: who reads this later has to know");
  LedgerEntry entry;
  entry.kind = kind;
  entry.case_id = flags.case_id;
  entry.metric = flags.metric;
  if (!flags.change.empty()) entry.change = change_of("--change", flags.change);
  entry.author = flags.author.empty() ? author_in(project.base) : flags.author;
  if (entry.author.empty()) throw Error("git knows no user.name here: say who with --author NAME");
  entry.reason = flags.why;
  entry.at = today();
  entry.until = flags.until;
  if (!flags.until.empty() && !is_date(flags.until))
    throw Error("--until " + flags.until + ": expected a date, as in 2026-03-31");
  if (is_over(entry, entry.at))
    throw Error("--until " + flags.until + ": that day has passed; today is " + entry.at);
  return entry;
}

bool is_same_place(const LedgerEntry& a, const LedgerEntry& b) {
  return a.kind == b.kind && a.case_id == b.case_id && a.metric == b.metric && a.suite == b.suite &&
         a.device == b.device;
}

std::string place_text(const LedgerEntry& entry) {
  std::string text = entry.case_id;
  if (!entry.metric.empty()) text += " " + entry.metric;
  if (!entry.suite.empty()) text += " of suite " + entry.suite;
  if (!entry.device.empty()) text += " on " + entry.device;
  return text;
}

int add_entries(EntryKind kind, const EntryFlags& flags, const Project& project) {
  const std::string path = ledger_path(project.places.baselines);
  LedgerEntry entry = entry_of(kind, flags, project);
  const std::vector<Holder> holders = holders_of(project.places.baselines, flags);
  edit_ledger(path, [&](std::vector<LedgerEntry>& entries) {
    for (const Holder& holder : holders) {
      entry.device = holder.device;
      entry.suite = holder.suite;
      const auto known = std::ranges::find_if(
          entries, [&](const LedgerEntry& other) { return is_same_place(entry, other); });
      print_talk(fmt::format("{}: {}\n", place_text(entry), entry_text(entry)));
      if (known == entries.end()) {
        entries.push_back(entry);
        continue;
      }
      print_talk(fmt::format("  instead of: {}\n", entry_text(*known)));
      *known = entry;
    }
  });
  print_result(path + "\n");
  return kExitOk;
}

int remove_entries(EntryKind kind, const EntryFlags& flags, const Project& project) {
  const std::string path = ledger_path(project.places.baselines);
  const auto is_meant = [&](const LedgerEntry& entry) {
    return entry.kind == kind && entry.case_id == flags.case_id &&
           (flags.metric.empty() || entry.metric == flags.metric) &&
           (flags.suite.empty() || entry.suite == flags.suite) &&
           (flags.device.empty() || entry.device == flags.device);
  };
  edit_ledger(path, [&](std::vector<LedgerEntry>& entries) {
    std::vector<std::string> ids;
    for (const LedgerEntry& entry : entries) {
      if (entry.kind == kind) ids.push_back(entry.case_id);
      if (is_meant(entry))
        print_talk(fmt::format("removed: {}: {}\n", place_text(entry), entry_text(entry)));
    }
    if (std::erase_if(entries, is_meant) > 0) return;
    const std::string near = nearest_id(flags.case_id, ids);
    throw Error(fmt::format("{}: no such case is {}{}", path, name_of(kind),
                            near.empty() ? "" : "; the nearest is '" + near + "'"));
  });
  print_result(path + "\n");
  return kExitOk;
}

int list_entries(EntryKind kind, const EntryFlags& flags, const Project& project) {
  std::vector<LedgerEntry> entries = read_ledger(ledger_path(project.places.baselines));
  std::erase_if(entries, [&](const LedgerEntry& entry) {
    return entry.kind != kind || (!flags.case_id.empty() && entry.case_id != flags.case_id);
  });
  if (flags.json) {
    print_result(json_text(JsonWriter::encode(entries)));
    return kExitOk;
  }
  Table table({"case", "metric", "suite", "device", "change", "until", "author", "why"},
              {false, false, false, false, true, false, false, false});
  for (const LedgerEntry& entry : entries)
    table.add({{entry.case_id},
               {entry.metric.empty() ? "all" : entry.metric},
               {entry.suite.empty() ? "any" : entry.suite},
               {entry.device.empty() ? "any" : entry.device},
               {entry.change ? percent_text(*entry.change) : "any"},
               {entry.until.empty()       ? "for good"
                : is_over(entry, today()) ? entry.until + ", over"
                                          : entry.until},
               {entry.author},
               {entry.reason}});
  print_result(table.empty() ? fmt::format("no case is {}\n", name_of(kind)) : table.text());
  return kExitOk;
}

/// The folder in or above `baseline`, a folder of baselines or one of them, that has the ledger or
/// may have it.
std::string folder_of_ledger(const std::string& baseline) {
  fs::path folder = fs::weakly_canonical(fs::absolute(baseline));
  if (!is_baselines_folder(folder.string())) folder = folder.parent_path();
  if (!fs::exists(ledger_path(folder.string()))) folder = folder.parent_path();
  return folder.string();
}

}  // namespace

void add_entry_flags(CLI::App& app, EntryFlags& flags) {
  app.add_option("CASE", flags.case_id, "the id of a case of a baseline");
  app.add_option("--why", flags.why, "the reason, for those who read the verdict")
      ->type_name("TEXT");
  app.add_option("--author", flags.author, "who decides it [git's user.name]")->type_name("NAME");
  app.add_option("--until", flags.until, "its last day; for good unless said")->type_name("DATE");
  app.add_option("--suite", flags.suite, "in this suite alone")->type_name("NAME");
  app.add_option("--on", flags.device,
                 "on this device alone: its folder in the baselines, as in nvidia-h200")
      ->type_name("NAME");
  app.add_flag("--remove", flags.remove, "take the case's entries out of the ledger");
  app.add_flag("--list", flags.list, "show the entries");
  app.add_flag("--json", flags.json, "with --list: as JSON on standard output");
  add_baselines_flag(app, flags.places);
}

int edit_entries(EntryKind kind, const EntryFlags& flags) {
  const Project project = find_project(".", flags.places);
  if (flags.list && flags.remove) throw Error("--list and --remove do not go together");
  if (flags.json && !flags.list) throw Error("--json goes with --list");
  if (flags.list) return list_entries(kind, flags, project);
  if (flags.case_id.empty()) throw Error("CASE is required: the id of a case of a baseline");
  return flags.remove ? remove_entries(kind, flags, project) : add_entries(kind, flags, project);
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
