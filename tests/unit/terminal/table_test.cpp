#include "terminal/table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

namespace plumbline {
namespace {

/// Two cases that differ in one parameter, as a comparison shows them.
Table comparison_table() {
  Table table({{"verdict"},
               {"case", Fit::id},
               {"metric", Fit::id},
               {"before", Fit::number},
               {"now", Fit::number},
               {"change", Fit::number},
               {"why", Fit::text}});
  for (const char* cols : {"64", "128"})
    table.add({{"SLOWER"},
               {std::string("softmax/libtorch/cols=") + cols +
                "/direction=backward/dtype=float32/rows=128"},
               {"gpu_time_cold"},
               {"1.00 ms"},
               {"1.08 ms"},
               {"+8.0 % [+6.8, +9.3]"},
               {"confirmed in 12 pairs"}});
  return table;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, width_of(line));
  return widest;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Table, CellsAreVisibleAndKeepToTheirLine) {
  Table table({{"case\x1b[0m"}, {"why"}});
  table.add({{"a\x1b]0;title\a"}, {"two\nlines"}});
  table.add({{"b"}, {"\tx"}});
  EXPECT_EQ(table.text(0),
            "case⟨U+001B⟩[0m            why\n"
            "a⟨U+001B⟩]0;title⟨U+0007⟩  two lines\n"
            "b                           x\n");
}

TEST(Table, InAPipeEverythingIsWhole) {
  EXPECT_EQ(comparison_table().text(0),
            "verdict  case                                                                 metric  "
            "       "
            " before      now               change  why\n"
            "SLOWER   softmax/libtorch/cols=64/direction=backward/dtype=float32/rows=128   "
            "gpu_time_cold  "
            "1.00 ms  1.08 ms  +8.0 % [+6.8, +9.3]  confirmed in 12 pairs\n"
            "SLOWER   softmax/libtorch/cols=128/direction=backward/dtype=float32/rows=128  "
            "gpu_time_cold  "
            "1.00 ms  1.08 ms  +8.0 % [+6.8, +9.3]  confirmed in 12 pairs\n");
}

TEST(Table, WhatAllCasesShareIsToldOnceAboveIt) {
  EXPECT_EQ(
      comparison_table().text(140),
      "case: … stands for softmax/libtorch/\n"
      "metric: gpu_time_cold\n"
      "verdict  case                                                  before      now          "
      "     change  why\n"
      "SLOWER   …cols=64/direction=backward/dtype=float32/rows=128   1.00 ms  1.08 ms  +8.0 % "
      "[+6.8, +9.3]  confirmed in 12 pairs\n"
      "SLOWER   …cols=128/direction=backward/dtype=float32/rows=128  1.00 ms  1.08 ms  +8.0 % "
      "[+6.8, +9.3]  confirmed in 12 pairs\n");
}

TEST(Table, EveryLineFitsAndVerdictAndChangeAreNeverCut) {
  for (std::size_t width = 50; width < 200; ++width) {
    const std::string text = comparison_table().text(width);
    EXPECT_LE(widest_line(text), width) << text;
    EXPECT_EQ(count_of(text, "SLOWER"), 2) << text;
    EXPECT_EQ(count_of(text, "+8.0 % [+6.8, +9.3]"), 2) << text;
    EXPECT_EQ(count_of(text, "cols=64"), 1) << text;
    EXPECT_EQ(count_of(text, "cols=128"), 1) << text;
  }
}

TEST(Table, ColumnsThatDoNotFitGoOnInAFurtherLine) {
  EXPECT_EQ(comparison_table().text(60),
            "case: … stands for softmax/libtorch/\n"
            "metric: gpu_time_cold\n"
            "verdict  case\n"
            "   before      now               change\n"
            "  why\n"
            "SLOWER   …cols=64/direction=backward/dtype=float32/rows=128\n"
            "  1.00 ms  1.08 ms  +8.0 % [+6.8, +9.3]\n"
            "  confirmed in 12 pairs\n"
            "SLOWER   …cols=128/direction=backward/dtype=float32/rows=128\n"
            "  1.00 ms  1.08 ms  +8.0 % [+6.8, +9.3]\n"
            "  confirmed in 12 pairs\n");
}

TEST(Table, ATextThatDoesNotFitBesideOthersIsWholeInALineOfItsOwn) {
  Table table({{"case", Fit::id}, {"change", Fit::number}, {"why", Fit::text}});
  table.add({{"softmax/libtorch/cols=4096/rows=8192"},
             {"+8.0 % [+6.8, +9.3]"},
             {"not confirmed: two runs alone"}});
  EXPECT_EQ(table.text(50),
            "case\n"
            "               change\n"
            "  why\n"
            "softmax/libtorch/cols=4096/rows=8192\n"
            "  +8.0 % [+6.8, +9.3]\n"
            "  not confirmed: two runs alone\n");
}

TEST(Table, IdsAreCutSoThatTheyCanBeToldApart) {
  Table table({{"case", Fit::id}, {"status"}});
  for (const char* middle : {"direction=backward/", ""})
    table.add({{std::string("conv2d/libtorch/c=16/") + middle +
                "dtype=float16/n=2/padding=1/r=3/s=3/w=14"},
               {"OK"}});
  EXPECT_EQ(table.text(56),
            "case: … stands for conv2d/libtorch/c=16/\n"
            "case                                              status\n"
            "…direction=backward/dtyp…/padding=1/r=3/s=3/w=14  OK\n"
            "…dtype=float16/n=2/padding=1/r=3/s=3/w=14         OK\n");
}

TEST(Table, LongTextsGoOnInTheirColumn) {
  Table table({{"case", Fit::id}, {"why", Fit::text}});
  table.add(
      {{"gemm/libtorch/m=1"}, {"the two runs were measured with other options of the clock"}});
  EXPECT_EQ(table.text(50),
            "case               why\n"
            "gemm/libtorch/m=1  the two runs were measured with\n"
            "                   other options of the clock\n");
}

TEST(Table, ARowOfOneCellStandsInALineOfItsOwn) {
  Table table({{"verdict"}, {"case", Fit::id}});
  table.add({{"SAME"}, {"a/b"}});
  table.add({{"and 3 more that are the same"}});
  EXPECT_EQ(table.text(0), "verdict  case\nSAME     a/b\nand 3 more that are the same\n");
}

TEST(OutputWidth, WithoutATerminalItIsWhatColumnsSaysOrUnlimited) {
  testing::internal::CaptureStdout();  // a file
  ::unsetenv("COLUMNS");
  EXPECT_EQ(output_width(), 0);
  ::setenv("COLUMNS", "72", 1);
  EXPECT_EQ(output_width(), 72);
  ::unsetenv("COLUMNS");
  testing::internal::GetCapturedStdout();
}

TEST(CutMiddle, KeepsBothEnds) {
  EXPECT_EQ(cut_middle("softmax/libtorch/rows=128", 11), "softm…s=128");
  EXPECT_EQ(cut_middle("µµµµµµ", 3), "µ…µ");
  EXPECT_EQ(cut_middle("short", 5), "short");
  EXPECT_EQ(cut_middle("short", 0), "");
}

}  // namespace
}  // namespace plumbline
