#include "store/verdict/ledger_json.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "core/error.h"
#include "core/uninterrupted.h"
#include "store/csv/column.h"
#include "store/file.h"
#include "store/json/describe_ledger.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 10> kKeys{"kind",   "device", "suite",  "case", "metric",
                                                 "change", "author", "reason", "at",   "until"};

struct LedgerFile {
  int format = kFormatVersion;
  std::vector<LedgerEntry> entries;
};

template <class Io, Is<LedgerFile> L>
void describe(Io& io, L& file) {
  io("format", file.format);
  io("entries", file.entries);
}

/// Finds mistakes that describe() ignores: unknown keys and meaningless values.
void check_entry(const JsonView& view, const LedgerEntry& entry) {
  for (const auto& [key, value] : view.members()) {
    if (std::ranges::find(kKeys, key) == kKeys.end())
      value.fail(
          "no such key; an entry has kind, device, suite, case, metric, change, author, "
          "reason, at, until");
    const bool is_empty_date = key == "until" && entry.until.empty();
    if ((key == "at" || key == "until") && !is_empty_date && !is_date(value.text()))
      value.fail("a date such as 2026-03-31");
    if (key == "change" && entry.change && !(std::isfinite(*entry.change) && *entry.change != 0))
      value.fail("a fraction other than 0, such as 0.08 for +8 %");
  }
  for (const auto& [key, text] : {std::pair("case", &entry.case_id),
                                  {"author", &entry.author},
                                  {"reason", &entry.reason},
                                  {"at", &entry.at}})
    if (text->empty()) view.fail(std::string("an object with '") + key + "'");
  const bool is_quarantine = entry.kind == EntryKind::quarantined;
  if (is_quarantine && (entry.change || !entry.metric.empty()))
    view.fail("no 'metric' and no 'change': a case is quarantined as a whole");
}

void sort_entries(std::vector<LedgerEntry>& entries) {
  std::ranges::stable_sort(entries, {}, [](const LedgerEntry& e) {
    return std::tie(e.suite, e.case_id, e.metric, e.kind, e.device);
  });
}

/// Locks a folder for the lifetime of the result.
OpenFile locked_folder(const std::string& folder) {
  make_folders(folder, "the folder of the ledger");
  OpenFile lock = open_file(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock.get() < 0) fail_with_errno(folder, "open it");
  if (uninterrupted([&] { return ::flock(lock.get(), LOCK_EX); }) != 0)
    fail_with_errno(folder, "lock it, so that two writers lose nothing");
  return lock;
}

}  // namespace

std::string ledger_path(const std::string& baselines_directory) {
  return (fs::path(baselines_directory) / "ledger.json").string();
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  std::int64_t year = 0, month = 0, day = 0;
  const bool is_numeric = parse_integer(text.substr(0, 4), year) &&
                          parse_integer(text.substr(5, 2), month) &&
                          parse_integer(text.substr(8, 2), day) && year > 0 && month > 0 && day > 0;
  return is_numeric && std::chrono::year_month_day(std::chrono::year(int(year)),
                                                   std::chrono::month(unsigned(month)),
                                                   std::chrono::day(unsigned(day)))
                           .ok();
}

std::vector<LedgerEntry> read_ledger(const std::string& path) {
  if (!fs::exists(path)) return {};
  const ParsedJson json = read_json(path);
  check_format(json, path, "a ledger", "entries");
  const JsonView view(json, path);
  LedgerFile file;
  JsonReader reader(view);
  describe(reader, file);
  const std::vector<JsonView> items = view.find("entries")->items();
  for (std::size_t i = 0; i < items.size(); ++i) check_entry(items[i], file.entries[i]);
  sort_entries(file.entries);
  return std::move(file.entries);
}

std::string ledger_text(std::vector<LedgerEntry> entries) {
  sort_entries(entries);
  return json_text(JsonWriter::encode(LedgerFile{kFormatVersion, std::move(entries)}));
}

void edit_ledger(const std::string& path,
                 const std::function<void(std::vector<LedgerEntry>&)>& change, bool dry_run) {
  if (dry_run) {
    std::vector<LedgerEntry> entries = read_ledger(path);
    change(entries);
    return;
  }
  const OpenFile lock = locked_folder(fs::path(path).parent_path().string());
  std::vector<LedgerEntry> entries = read_ledger(path);
  const std::string before = ledger_text(entries);
  change(entries);
  const std::string after = ledger_text(std::move(entries));
  if (after != before) write_atomically(path, after);
}

}  // namespace plumbline
