#include "terminal/help_text.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(WrappedHelp, ATextGoesOnBelowItself) {
  EXPECT_EQ(wrapped_help("  --flag VALUE  one two three four\n", 30, 16),
            "  --flag VALUE  one two three\n"
            "                four\n");
}

TEST(WrappedHelp, LinesThatFitAndWordsThatDoNotStayWhole) {
  EXPECT_EQ(wrapped_help("short\n\n  --f  supercalifragilistic", 12, 7),
            "short\n\n  --f  supercalifragilistic");
}

TEST(WrappedHelp, AParagraphKeepsItsIndent) {
  EXPECT_EQ(wrapped_help("  one two three", 9, 40), "  one two\n  three");
}

TEST(WrappedHelp, CharactersOfSeveralBytesCountOnce) {
  EXPECT_EQ(wrapped_help("äöü äöü äöü", 7, 40), "äöü äöü\näöü");
}

}  // namespace
}  // namespace plumbline
