#include "cli/console.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(Printable, ShowsWhatATerminalWouldObeyAndLeavesTheRest) {
  EXPECT_EQ(printable("a\x1b[2Jb\r\ac\x7f"), "a\\x1b[2Jb\\x0d\\x07c\\x7f");
  EXPECT_EQ(printable("csi \xc2\x9b"
                      "31m"),
            "csi \\x9b31m");
  EXPECT_EQ(printable(std::string_view("nul \0.", 6)), "nul \\x00.");
  EXPECT_EQ(printable("lone \x9b\xc3, over \xc0\x9b, cut \xe2\x80"),
            "lone \\x9b\\xc3, over \\xc0\\x9b, cut \\xe2\\x80");
  EXPECT_EQ(printable("± 2 µs …\n\tÂ"), "± 2 µs …\n\tÂ");
}

TEST(Table, CellsArePrintableAndKeepToTheirLine) {
  Table table({"case\x1b[0m", "why"});
  table.add({{"a\x1b]0;title\a"}, {"two\nlines"}});
  table.add({{"b"}, {"\tx"}});
  EXPECT_EQ(table.text(),
            "case\\x1b[0m        why\n"
            "a\\x1b]0;title\\x07  two lines\n"
            "b                   x\n");
}

TEST(PrintText, ForeignSequencesAreShownAndBytesOfResultsAreNot) {
  testing::internal::CaptureStdout();
  print_text("\x1b[31mred\x1b[0m\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "\\x1b[31mred\\x1b[0m\n");
  testing::internal::CaptureStdout();
  print_result("\x1b[31m\r\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "\x1b[31m\r\n");
}

}  // namespace
}  // namespace plumbline
