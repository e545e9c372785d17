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

}  // namespace
}  // namespace plumbline
