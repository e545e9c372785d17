#include "terminal/console.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(PrintText, ForeignSequencesAreShownAndBytesOfResultsAreNot) {
  testing::internal::CaptureStdout();
  print_text("\x1b[31mred\x1b[0m\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "⟨U+001B⟩[31mred⟨U+001B⟩[0m\n");
  testing::internal::CaptureStdout();
  print_result("\x1b[31m\r\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "\x1b[31m\r\n");
}

TEST(Console, TextsAreBrokenBetweenWords) {
  const std::string text =
      "Slower: softmax is 8 % slower; so is gemm.\n  worst: gemm/libtorch/k=64\n";
  EXPECT_EQ(fitted(text, 0), text);
  EXPECT_EQ(fitted(text, 80), text);
  EXPECT_EQ(fitted(text, 21),
            "Slower: softmax is\n  8 % slower; so is\n  gemm.\n  worst:\n    gemm/libtorch/k=64\n");
  EXPECT_EQ(fitted("a is 8 % b", 6), "a is\n  8 %\n  b") << "a number keeps its unit";
  EXPECT_EQ(fitted("µµµ µµµ", 7), "µµµ µµµ");
  EXPECT_EQ(fitted("a softmax/libtorch/rows=8192 b", 10), "a\n  softmax/libtorch/rows=8192\n  b")
      << "a word longer than a line is not broken: it is copied as one";
  EXPECT_EQ(fitted("\x1b[31mSlower:\x1b[0m softmax", 15), "\x1b[31mSlower:\x1b[0m softmax");
}

}  // namespace
}  // namespace plumbline
