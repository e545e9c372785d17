#include "cli/judge/ledger_entry.h"

#include <fmt/format.h>

#include "analysis/compare/judge.h"
#include "analysis/compare/ledger_effects.h"
#include "cli/command.h"
#include "core/error.h"
#include "store/json/describe_ledger.h"
#include "terminal/console.h"
#include "terminal/run_progress.h"
#include "terminal/table.h"

namespace plumbline {
namespace {

std::string place_text(const LedgerEntry& entry) {
  std::string text = entry.case_id;
  if (!entry.metric.empty()) text += " " + entry.metric;
  if (!entry.suite.empty()) text += " of suite " + entry.suite;
  if (!entry.device.empty()) text += " on " + entry.device;
  return text;
}

void show(const LedgerEntry& entry, const char* before = "") {
  print_talk(fmt::format("{}{}: {}\n", before, place_text(entry), entry_text(entry)));
}

int add(EntryRequest entry, const std::string& change) {
  if (!change.empty()) entry.change = change_of("--change", change);
  ConsoleTalk talk;
  const WrittenEntries written = add_entries(entry, talk);
  for (const WrittenEntry& one : written.entries) {
    show(one.entry);
    if (one.replaced) print_talk(fmt::format("  instead of: {}\n", entry_text(*one.replaced)));
  }
  if (entry.dry_run) print_note(kDryRunNote);
  print_result(written.path + "\n");
  return kExitOk;
}

int remove(const EntryRequest& entry) {
  const RemovedEntries removed = remove_entries(entry);
  for (const LedgerEntry& one : removed.entries) show(one, "removed: ");
  if (entry.dry_run) print_note(kDryRunNote);
  print_result(removed.path + "\n");
  return kExitOk;
}

int list(const EntryRequest& entry, bool json) {
  const std::vector<LedgerEntry> entries = entries_of(entry);
  if (json) {
    print_result(json_text(JsonWriter::encode(entries)));
    return kExitOk;
  }
  Table table({{"case", Fit::id},
               {"metric", Fit::id},
               {"suite"},
               {"device"},
               {"change", Fit::number},
               {"until"},
               {"author"},
               {"why", Fit::text}});
  for (const LedgerEntry& one : entries)
    table.add({{one.case_id},
               {one.metric.empty() ? "all" : one.metric},
               {one.suite.empty() ? "any" : one.suite},
               {one.device.empty() ? "any" : one.device},
               {one.change ? percent_text(*one.change) : "any"},
               {one.until.empty()       ? "for good"
                : is_over(one, today()) ? one.until + ", over"
                                        : one.until},
               {one.author},
               {one.reason}});
  print_result(table.empty() ? fmt::format("no case is {}\n", name_of(entry.kind)) : table.text());
  return kExitOk;
}

}  // namespace

void add_entry_flags(CLI::App& app, EntryFlags& flags) {
  app.add_option("CASE", flags.entry.case_id, "the id of a case of a baseline");
  app.add_option("--why", flags.entry.why, "the reason, shown beside the verdict")
      ->type_name("TEXT");
  app.add_option("--author", flags.entry.author, "who decides this [git's user.name]")
      ->type_name("NAME");
  app.add_option("--until", flags.entry.until,
                 "the entry's last day, such as 2026-12-31 [for good]")
      ->type_name("DATE");
  app.add_option("--suite", flags.entry.suite, "only in this suite [all]")->type_name("NAME");
  app.add_option("--device", flags.entry.device,
                 "only on this device: its folder in the baselines, such as nvidia-h200 [all]")
      ->type_name("NAME");
  app.add_flag("--remove", flags.remove, "remove the case's entries from the ledger");
  app.add_flag("--list", flags.list, "show the entries");
  app.add_flag("--json", flags.json, "with --list: print JSON");
  add_dry_run_flag(app, flags.entry.dry_run);
  add_baselines_flag(app, flags.entry.places);
}

int edit_entries(EntryKind kind, const EntryFlags& flags) {
  EntryRequest entry = flags.entry;
  entry.kind = kind;
  if (flags.list && flags.remove) throw Error("--list and --remove do not go together");
  if (flags.json && !flags.list) throw Error("--json goes with --list");
  if (flags.list) return list(entry, flags.json);
  if (entry.case_id.empty()) throw Error("CASE is required: the id of a case of a baseline");
  return flags.remove ? remove(entry) : add(std::move(entry), flags.change);
}

}  // namespace plumbline
