#include "store/verdict/ledger_json.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/error.h"
#include "store/file.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

LedgerEntry entry(const std::string& case_id) {
  LedgerEntry made;
  made.device = "nvidia-h200";
  made.suite = "quick";
  made.case_id = case_id;
  made.metric = "gpu_time_cold";
  made.change = 0.08;
  made.author = "Ada \"L\"";
  made.reason = "line\nline </script>";
  made.at = "2026-03-01";
  made.until = "2026-03-31";
  return made;
}

struct LedgerFolder {
  TemporaryFolder folder;
  std::string path = ledger_path(folder.path());

  std::string error(const std::string& text) {
    write_file(path, text);
    try {
      read_ledger(path);
    } catch (const Error& problem) {
      std::string message = problem.what();
      const auto at = message.find(path);
      return at == std::string::npos ? message : message.replace(at, path.size(), "F");
    }
    return "";
  }
  /// The error for an entry with all required members and `members`.
  std::string entry_error(const std::string& members) {
    return error(R"({"format": 1, "entries": [{"kind": "acknowledged", "case": "c", "author": "A",
        "reason": "r", "at": "2026-03-01")" +
                 members + "}]}");
  }
};

TEST(Ledger, KeepsEveryFieldAndIsSortedForGit) {
  LedgerFolder ledger;
  LedgerEntry quarantine;
  quarantine.kind = EntryKind::quarantined;
  quarantine.case_id = "b";
  quarantine.author = "B";
  quarantine.reason = "modes";
  quarantine.at = "2026-03-02";
  edit_ledger(ledger.path, [&](auto& entries) { entries = {entry("c"), quarantine, entry("a")}; });
  const auto back = read_ledger(ledger.path);
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(back[0].case_id, "b") << "of any suite";
  EXPECT_EQ(back[0].kind, EntryKind::quarantined);
  EXPECT_FALSE(back[0].change.has_value());
  EXPECT_EQ(back[1].case_id, "a");
  EXPECT_EQ(back[2].case_id, "c");
  const LedgerEntry wanted = entry("c");
  EXPECT_EQ(back[2].device, wanted.device);
  EXPECT_EQ(back[2].suite, wanted.suite);
  EXPECT_EQ(back[2].metric, wanted.metric);
  EXPECT_EQ(back[2].change, wanted.change);
  EXPECT_EQ(back[2].author, wanted.author);
  EXPECT_EQ(back[2].reason, wanted.reason);
  EXPECT_EQ(back[2].at, wanted.at);
  EXPECT_EQ(back[2].until, wanted.until);
  EXPECT_EQ(ledger_text(back), read_text(ledger.path));
}

TEST(Ledger, ThatIsNotThereIsEmptyAndOnlyAChangeWritesIt) {
  LedgerFolder ledger;
  EXPECT_TRUE(read_ledger(ledger.path).empty());
  edit_ledger(ledger.path, [](auto&) {});
  EXPECT_FALSE(std::filesystem::exists(ledger.path));
  const std::string deeper = ledger.folder / "not/yet/there";
  edit_ledger(ledger_path(deeper), [](auto& entries) { entries.push_back(entry("a")); });
  EXPECT_EQ(read_ledger(ledger_path(deeper)).size(), 1u);
}

TEST(Ledger, ThatIsMalformedIsAnErrorWithItsPlace) {
  LedgerFolder ledger;
  EXPECT_EQ(ledger.entry_error(""), "");
  EXPECT_EQ(ledger.error("{"),
            "F: not valid JSON: parse error at line 1, column 2: syntax error while parsing object "
            "key - unexpected end of input; expected string literal");
  EXPECT_EQ(
      ledger.error("{\"format\": 1}"),
      "F: found JSON without 'format' and 'entries', expected the JSON of a ledger written by "
      "Plumbline");
  EXPECT_EQ(ledger.error(R"({"format": 1, "entries": {}})"),
            "F: at /entries: found an object, expected an array");
  EXPECT_EQ(ledger.error(R"({"format": 1, "entries": [{"kind": "excused"}]})"),
            "F: at /entries/0/kind: found 'excused', expected 'kind': acknowledged or quarantined");
  EXPECT_EQ(ledger.error(R"({"format": 1, "entries": [{"case": "c"}]})"),
            "F: at /entries/0: found an object, expected 'kind': acknowledged or quarantined");
  EXPECT_EQ(ledger.error(R"({"format": 1, "entries": [{"kind": "quarantined", "case": "c"}]})"),
            "F: at /entries/0: found an object, expected an object with 'author'");
  EXPECT_EQ(ledger.entry_error(R"(, "untill": "2026-04-01")"),
            "F: at /entries/0/untill: found '2026-04-01', expected no such key; an entry has kind, "
            "device, suite, case, metric, change, author, reason, at, until");
  EXPECT_EQ(ledger.entry_error(R"(, "until": "2026-02-30")"),
            "F: at /entries/0/until: found '2026-02-30', expected a date such as 2026-03-31");
  EXPECT_EQ(ledger.entry_error(R"(, "change": "8%")"),
            "F: at /entries/0/change: found '8%', expected a number");
  EXPECT_EQ(ledger.entry_error(R"(, "change": 0)"),
            "F: at /entries/0/change: found 0, expected a fraction other than 0, such as 0.08 for "
            "+8 %");
}

TEST(Ledger, AQuarantineIsOfAWholeCase) {
  LedgerFolder ledger;
  EXPECT_EQ(ledger.error(R"({"format": 1, "entries": [{"kind": "quarantined", "case": "c",
      "author": "A", "reason": "r", "at": "2026-03-01", "metric": "gpu_time_cold"}]})"),
            "F: at /entries/0: found an object, expected no 'metric' and no 'change': a case is "
            "quarantined as a whole");
}

TEST(Ledger, IsAsItWasWhereAChangeThrows) {
  LedgerFolder ledger;
  edit_ledger(ledger.path, [](auto& entries) { entries = {entry("a")}; });
  const std::string before = read_text(ledger.path);
  EXPECT_THROW(edit_ledger(ledger.path,
                           [](auto& entries) {
                             entries.clear();
                             throw Error("no");
                           }),
               Error);
  EXPECT_EQ(read_text(ledger.path), before);
}

TEST(Ledger, LosesNothingWhereTwoWriteAtOnce) {
  LedgerFolder ledger;
  constexpr int kWriters = 4, kEntries = 25;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer)
    writers.emplace_back([&, writer] {
      for (int i = 0; i < kEntries; ++i)
        edit_ledger(ledger.path, [&](auto& entries) {
          entries.push_back(entry(std::to_string(writer) + "/" + std::to_string(i)));
        });
    });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(read_ledger(ledger.path).size(), std::size_t(kWriters * kEntries));
}

TEST(IsDate, KnowsTheCalendar) {
  for (const char* good : {"2026-03-31", "2024-02-29", "0001-01-01"}) EXPECT_TRUE(is_date(good));
  for (const char* bad : {"", "2026-3-31", "2026-02-29", "2026-13-01", "2026-00-01", "2026-01-00",
                          "20260331", "2026-03-31 ", "+026-03-31", "2026-03-3x"})
    EXPECT_FALSE(is_date(bad)) << bad;
}

}  // namespace
}  // namespace plumbline
