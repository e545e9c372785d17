#include "terminal/console.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(Table, CellsAreVisibleAndKeepToTheirLine) {
  Table table({"case\x1b[0m", "why"});
  table.add({{"a\x1b]0;title\a"}, {"two\nlines"}});
  table.add({{"b"}, {"\tx"}});
  EXPECT_EQ(table.text(),
            "case⟨U+001B⟩[0m            why\n"
            "a⟨U+001B⟩]0;title⟨U+0007⟩  two lines\n"
            "b                           x\n");
}

TEST(PrintText, ForeignSequencesAreShownAndBytesOfResultsAreNot) {
  testing::internal::CaptureStdout();
  print_text("\x1b[31mred\x1b[0m\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "⟨U+001B⟩[31mred⟨U+001B⟩[0m\n");
  testing::internal::CaptureStdout();
  print_result("\x1b[31m\r\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "\x1b[31m\r\n");
}

}  // namespace
}  // namespace plumbline
