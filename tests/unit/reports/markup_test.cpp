#include "reports/markup.h"

#include <gtest/gtest.h>

#include <string>

namespace plumbline {
namespace {

std::string json(std::string_view text) {
  std::string out;
  append_json(out, text);
  return out;
}

TEST(Markup, NoCharacterOfAnHtmlNameActsOnThePage) {
  EXPECT_EQ(escaped("<b a=\"1\" c='2'>&"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
}

TEST(Markup, ControlCharactersBecomeVisible) {
  EXPECT_EQ(escaped(std::string_view("a\0b\x1B", 4)), "a&#9216;b&#9243;");
}

TEST(Markup, BytesThatAreNoUtf8BecomeTheReplacementCharacter) {
  EXPECT_EQ(escaped("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(escaped("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(escaped("\xC0\xAF"), "\uFFFD\uFFFD");            // an overlong slash
  EXPECT_EQ(escaped("µ日\xF0\x9F\x98\x80"), "µ日\xF0\x9F\x98\x80");
  EXPECT_EQ(valid_utf8("<µ\xFF\xFE>"), "<µ\uFFFD\uFFFD>");
}

TEST(Markup, CharactersThatTurnTheTextAreSpelledOut) {
  EXPECT_EQ(escaped("a\u202Eb\u2028c\u2066"), "a⟨U+202E⟩b⟨U+2028⟩c⟨U+2066⟩");
  EXPECT_EQ(escaped("a\u2013b"), "a\u2013b");
}

TEST(Markup, JsonCannotEndOrOpenAScript) {
  const std::string text = json("</script><!--\u2028\u2029&\"\\\n");
  EXPECT_EQ(text.find_first_of("<>&\n"), std::string::npos);
  EXPECT_EQ(text, "\"\\u003c/script\\u003e\\u003c!--\\u2028\\u2029\\u0026\\\"\\\\\\u000a\"");
}

TEST(Markup, AShellWordIsQuotedOnlyWhereItMustBe) {
  EXPECT_EQ(shell_word("softmax/libtorch/rows=4096"), "softmax/libtorch/rows=4096");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's $(x)"), "'it'\\''s $(x)'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace plumbline
