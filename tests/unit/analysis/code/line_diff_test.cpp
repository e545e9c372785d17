#include "analysis/code/line_diff.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <sstream>

namespace plumbline {
namespace {

using Views = std::vector<std::string_view>;

/// One letter a line.
Views letters(std::string_view text) {
  Views lines;
  for (std::size_t i = 0; i < text.size(); ++i) lines.push_back(text.substr(i, 1));
  return lines;
}

std::string diff_of(std::string_view before, std::string_view after,
                    std::size_t most_lines = 1000) {
  const Views a = letters(before), b = letters(after);
  std::string text;
  for (const std::string& line : unified_diff(a, b, common_lines(a, b), most_lines).lines)
    text += line + '|';
  return text;
}

TEST(LineDiff, ShowsThreeLinesAroundAChange) {
  EXPECT_EQ(diff_of("abcdefgh", "abcdXfgh"), "@@ -2,7 +2,7 @@| b| c| d|-e|+X| f| g| h|");
  EXPECT_EQ(diff_of("abc", "abc"), "");
  EXPECT_EQ(diff_of("", "ab"), "@@ -0,0 +1,2 @@|+a|+b|");
  EXPECT_EQ(diff_of("ab", ""), "@@ -1,2 +0,0 @@|-a|-b|");
}

TEST(LineDiff, SplitsChangesThatAreFarApart) {
  EXPECT_EQ(diff_of("a12345678b", "A12345678B"),
            "@@ -1,4 +1,4 @@|-a|+A| 1| 2| 3|@@ -7,4 +7,4 @@| 6| 7| 8|-b|+B|");
  EXPECT_EQ(diff_of("a123456b", "A123456B"), "@@ -1,8 +1,8 @@|-a|+A| 1| 2| 3| 4| 5| 6|-b|+B|");
}

TEST(LineDiff, CountsTheLinesThatItLeavesOut) {
  const Views a = letters("abcdefgh"), b = letters("ABCDEFGH");
  const UnifiedDiff diff = unified_diff(a, b, common_lines(a, b), 5);
  EXPECT_EQ(diff.lines.size(), 5U);
  EXPECT_EQ(diff.left_out, 12U);
}

/// The length of the longest common subsequence, by the table.
std::size_t longest_common(const Views& a, const Views& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (const std::string_view line : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = line == b[j] ? diagonal + 1 : std::max(row[j], above);
      diagonal = above;
    }
  }
  return row[b.size()];
}

TEST(LineDiff, FindsTheMostCommonLines) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 500; ++trial) {
    std::string before(random() % 30, 'a'), after(random() % 30, 'a');
    for (std::string* const text : {&before, &after})
      for (char& c : *text) c = char('a' + random() % 4);
    const Views a = letters(before), b = letters(after);
    const CommonLines common = common_lines(a, b);
    EXPECT_EQ(common.before, a.size());
    EXPECT_EQ(common.after, b.size());
    EXPECT_EQ(common.pairs.size(), longest_common(a, b)) << before << ' ' << after;
    std::size_t i = 0, j = 0;
    for (const auto& [was, is] : common.pairs) {
      EXPECT_TRUE(was >= i && is >= j);
      EXPECT_EQ(a[was], b[is]);
      i = was + 1;
      j = is + 1;
    }
  }
}

TEST(LineDiff, EndsAtItsLimitWithWhatItHas) {
  const std::string before = "same" + std::string(50, 'x'), after = "same" + std::string(50, 'y');
  const Views a = letters(before), b = letters(after);
  const CommonLines common = common_lines(a, b, 10);
  EXPECT_EQ(common.pairs.size(), 4U);
  EXPECT_EQ(common.before + common.after, 4U + 4U + 10U);
  EXPECT_EQ(unified_diff(a, b, common, 100).lines.size(), 1U + 3U + 10U);
}

/// Limits far above what was measured, so that a loaded machine does not fail it.
TEST(LineDiff, TakesLittleTimeForLongTexts) {
  constexpr std::size_t kLines = 20'000;
  std::mt19937 random(3);
  std::vector<std::string> words;
  for (int i = 0; i < 5; ++i) words.push_back("FFMA R" + std::to_string(i));
  for (const std::size_t kinds : {std::size_t(1), std::size_t(2), words.size()}) {
    Views a, b;
    for (std::size_t i = 0; i < kLines; ++i) {
      a.emplace_back(words[random() % kinds]);
      b.emplace_back(words[kinds - 1 - random() % kinds]);
    }
    b.resize(kLines / 2);
    const auto begin = std::chrono::steady_clock::now();
    common_lines(a, b);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(spent.count(), 3) << kinds;
  }
}

}  // namespace
}  // namespace plumbline
