#include "terminal/console.h"

#include <gtest/gtest.h>

#include "core/trace.h"

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

TEST(ColourUse, AFlagWinsOverWhatTheTerminalSays) {
  use_colour(ColourUse::always);
  EXPECT_EQ(coloured("slow", Colour::red, 1), "\x1b[31mslow\x1b[0m");
  use_colour(ColourUse::never);
  EXPECT_EQ(coloured("slow", Colour::red, 1), "slow");
  use_colour(ColourUse::automatic);
}

TEST(Verbosity, QuietTellsErrorsAlone) {
  set_verbosity(Verbosity::quiet);
  testing::internal::CaptureStderr();
  say("progress\n");
  print_note("by the way");
  say_error("error: no\n");
  const std::string told = testing::internal::GetCapturedStderr();
  set_verbosity(Verbosity::normal);
  EXPECT_EQ(told, "error: no\n");
}

TEST(Verbosity, VerboseTellsWhatHappensWithTimes) {
  testing::internal::CaptureStderr();
  trace([] { return std::string("before"); });
  set_verbosity(Verbosity::verbose);
  trace([] { return std::string("read a.yaml"); });
  const std::string told = testing::internal::GetCapturedStderr();
  set_verbosity(Verbosity::normal);
  set_trace(nullptr);
  EXPECT_TRUE(told.starts_with("[") && told.ends_with(" s] read a.yaml\n")) << told;
}

}  // namespace
}  // namespace plumbline
