#include "store/csv/csv_reader.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct Read {
  Rows rows;
  std::vector<std::uint64_t> ends;
  std::string torn, error;
};

/// Header and rows of a file with that content; the file's name in messages is F.
Read read(std::string_view text) {
  const TemporaryFolder folder;
  const std::string path = folder / "f.csv";
  write_file(path, text);
  const auto named = [&](std::string message) {
    if (const auto at = message.find(path); at != std::string::npos)
      message.replace(at, path.size(), "F");
    return message;
  };
  Read result;
  try {
    CsvReader reader(path);
    if (!reader.header().empty()) result.rows.push_back(reader.header());
    while (reader.next()) {
      result.rows.emplace_back();
      for (std::size_t i = 0; i < reader.fields(); ++i)
        result.rows.back().emplace_back(reader.field(i));
      result.ends.push_back(reader.end_bytes());
    }
    result.torn = named(reader.torn().value_or(""));
  } catch (const Error& error) {
    result.error = named(error.what());
  }
  return result;
}

TEST(CsvReader, KeepsQuotedCommasNewlinesAndDoubledQuotes) {
  EXPECT_EQ(read("a,b\n\"1,\n2\",\"say \"\"x\"\"\"\n").rows,
            (Rows{{"a", "b"}, {"1,\n2", "say \"x\""}}));
}

TEST(CsvReader, KeepsBlanksAroundFields) {
  EXPECT_EQ(read("a,b\n 1 ,\t2\n").rows, (Rows{{"a", "b"}, {" 1 ", "\t2"}}));
}

TEST(CsvReader, KeepsBlanksInSomeLinesOfAQuotedFieldAndOfAFile) {
  EXPECT_EQ(read("a,b\n 1 ,2\n3,\" x\ny\nz \"\n5,6 \n").rows,
            (Rows{{"a", "b"}, {" 1 ", "2"}, {"3", " x\ny\nz "}, {"5", "6 "}}));
}

TEST(CsvReader, DropsAByteOrderMarkAndTakesCrLfAndBlankLines) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a,b\r\n\r\n1,2\r\n\n3,4\r\n")
                .rows,
            (Rows{{"a", "b"}, {"1", "2"}, {"3", "4"}}));
}

TEST(CsvReader, TellsWhereEachRowEnds) {
  EXPECT_EQ(read("a,b\n1,2\n\"x\ny\",3\n").ends, (std::vector<std::uint64_t>{8, 16}));
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a\r\n1\r\n")
                .ends,
            (std::vector<std::uint64_t>{9}));
}

TEST(CsvReader, KeepsEmptyFieldsAndNulBytes) {
  EXPECT_EQ(read(std::string("a,b,c\n,x\0y,\n", 12)).rows,
            (Rows{{"a", "b", "c"}, {"", std::string("x\0y", 3), ""}}));
}

/// Unnecessary quotes around a field change nothing.
TEST(CsvReader, ReadsARowTheSameWithAndWithoutQuotes) {
  for (const char* rest : {",,", ",x,", ", ,y z", ",\tü,0x1p-3"})
    for (const char* end : {"\n", "\r\n"}) {
      const std::string header = std::string("a,b,c") + end;
      const Read plain = read(header + "1" + rest + end + end + "2,3,4" + end);
      const Read quoted = read(header + "\"1\"" + rest + end + end + "\"2\",3,4" + end);
      EXPECT_EQ(plain.rows.size(), 3u) << rest;
      EXPECT_EQ(plain.rows, quoted.rows) << rest;
    }
}

TEST(CsvReader, RefusesARowOfAnotherLength) {
  EXPECT_EQ(read("a,b,c\n1,2,3\n\"x\n\",5\n").error,
            "F: row 2 (line 3), column c: found 2 fields, expected 3 as in the header");
  EXPECT_EQ(read("a,b\n1,2,3\n").error,
            "F: row 1 (line 2), column b: found 3 fields, expected 2 as in the header");
}

TEST(CsvReader, RefusesAQuoteInsideAField) {
  EXPECT_EQ(read("a,b\n1,2\n3,4\"5\n").error,
            "F: row 2 (line 3), column b: found a quote inside a field (near '4\"5⟨U+000A⟩'), "
            "expected a field in quotes as a whole, quotes in it doubled");
  EXPECT_EQ(read("a,b\n\"1\"x,2\n").error,
            "F: row 1 (line 2), column a: found a quote inside a field (near '\"x,2⟨U+000A⟩'), "
            "expected a field in quotes as a whole, quotes in it doubled");
  EXPECT_EQ(read("a,b\"\n1,2\n").error,
            "F: header (line 1), column 2: found a quote inside a field (near 'b\"⟨U+000A⟩'), "
            "expected a field in quotes as a whole, quotes in it doubled");
}

TEST(CsvReader, ShowsValuesOnOneLineAndNeverHalfACharacter) {
  EXPECT_EQ(shown("a\x1b\t\u202E"), "'a⟨U+001B⟩⟨U+0009⟩⟨U+202E⟩'");
  EXPECT_EQ(shown(std::string(59, 'a') + "µb"), "'" + std::string(59, 'a') + "…'");
  EXPECT_EQ(shown(std::string(58, 'a') + "µ"), "'" + std::string(58, 'a') + "µ'");
}

TEST(CsvReader, RefusesACarriageReturnThatEndsALine) {
  EXPECT_EQ(read("a,b\n1,2\r3,4\n").error,
            "F: row 1 (line 2), column a: found a carriage return alone, expected lines that end "
            "in LF or CRLF, or the field in quotes");
}

TEST(CsvReader, RefusesAColumnThatStandsTwice) {
  EXPECT_EQ(read("a,b,a\n1,2,3\n").error, "F: header: the column 'a' appears twice");
  std::string many = "c0";
  for (int i = 1; i <= 10000; ++i) many += ",c" + std::to_string(i);
  EXPECT_EQ(read(many + "\n").error, "F: header: found 10001 columns; allowed: 10000");
}

TEST(CsvReader, LeavesOutATornLastRowAndSaysWhereItIsTorn) {
  const Read inside_row = read("a,b\n1,2\n3,4");
  EXPECT_EQ(inside_row.rows, (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(inside_row.torn,
            "F: row 2 (line 3), column b: found the end of the file inside the row, expected a "
            "complete row that ends in a newline");
  const Read inside_quotes = read("a,b\n1,2\n\"3,4\n5,6\n");
  EXPECT_EQ(inside_quotes.rows, (Rows{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(inside_quotes.torn,
            "F: row 2 (line 3), column a: found the end of the file inside quotes, expected a "
            "complete row that ends in a newline");
  EXPECT_EQ(read("a,b\n1,2\n\"3\"").torn,
            "F: row 2 (line 3), column a: found the end of the file inside the row, expected a "
            "complete row that ends in a newline");
}

TEST(CsvReader, LeavesHeaderEmptyWhereTheFileEndsInIt) {
  EXPECT_TRUE(read("").rows.empty());
  EXPECT_TRUE(read("a,b").rows.empty());
  EXPECT_EQ(read("a,b").torn,
            "F: header (line 1), column 2: found the end of the file inside the row, expected a "
            "complete row that ends in a newline");
}

TEST(CsvReader, ReadsFieldsLongerThanItsBuffer) {
  const std::string large(700000, 'x'), quoted(300000, '\n');
  EXPECT_EQ(read("a,b\n" + large + ",\"" + quoted + "\"\n").rows,
            (Rows{{"a", "b"}, {large, quoted}}));
}

TEST(CsvReader, NamesTheFileThatCannotBeRead) {
  EXPECT_THROW(
      try { CsvReader("/nowhere/x.csv"); } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "/nowhere/x.csv: cannot open it: No such file or directory");
        throw;
      },
      Error);
  EXPECT_THROW(CsvReader("/"), Error);
}

TEST(CsvReader, HashesTheWholeFileAsHashOfFileDoes) {
  const TemporaryFolder folder;
  const std::string text =
      "\xEF\xBB\xBF"
      "a,b\n" +
      std::string(600000, '1') + ",2\n3,4\n5";
  write_file(folder / "f.csv", text);
  CsvReader reader(folder / "f.csv");
  while (reader.next()) continue;
  EXPECT_EQ(reader.hash().text(), hash_of_file(folder / "f.csv").text());
  EXPECT_EQ(reader.hash().size_bytes(), text.size());
}

TEST(ContentHash, DependsOnEveryByteAndNotOnHowTheyArrive) {
  const std::string text = "the quick brown fox jumps over";
  ContentHash whole;
  whole.add(text);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    ContentHash parts;
    parts.add(text.substr(0, cut));
    parts.add(text.substr(cut));
    EXPECT_EQ(parts.text(), whole.text());
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] ^= 1;
    ContentHash other;
    other.add(changed);
    EXPECT_NE(other.text(), whole.text()) << i;
  }
}

}  // namespace
}  // namespace plumbline
