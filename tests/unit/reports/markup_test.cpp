#include "reports/markup.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
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
  EXPECT_EQ(escaped(std::string_view("a\0b\x1B\n\t", 6)), "a⟨U+0000⟩b⟨U+001B⟩&#9226;&#9225;");
}

TEST(Markup, BytesThatAreNoUtf8AreSpelledOutAndInDataTheReplacementCharacter) {
  EXPECT_EQ(escaped("a\xFFz"), "a⟨0xFF⟩z");
  EXPECT_EQ(escaped("\xC0\xAF"), "⟨0xC0⟩⟨0xAF⟩");  // an overlong slash
  EXPECT_EQ(escaped("µ日\xF0\x9F\x98\x80"), "µ日\xF0\x9F\x98\x80");
  EXPECT_EQ(valid_utf8("<µ\xFF\xFE>"), "<µ\uFFFD\uFFFD>");
}

TEST(Markup, CharactersThatTurnTheTextAreSpelledOut) {
  EXPECT_EQ(escaped("a\u202Eb\u2028c\u2066"), "a⟨U+202E⟩b⟨U+2028⟩c⟨U+2066⟩");
  EXPECT_EQ(escaped("a\u2013b"), "a\u2013b");
}

TEST(Markup, NoCharacterOfANameActsInMarkdown) {
  EXPECT_EQ(markdown_escaped("a|b*c_d[e]<f>&#8238;`g\nh\u202E"),
            "a\\|b\\*c\\_d\\[e\\]\\<f\\>\\&\\#8238;\\`g h⟨U+202E⟩");
  // No link, and nobody is told.
  EXPECT_EQ(markdown_escaped("http://a.b www.c.d WWW.e @org/team f@g.h aten::add 1.5"),
            "http\\://a.b www\\.c.d WWW\\.e ⟨@⟩org/team f⟨@⟩g.h aten::add 1.5");
}

TEST(Markup, JsonCannotEndOrOpenAScript) {
  const std::string text = json("</script><!--\u2028\u2029&\"\\\n");
  EXPECT_EQ(text.find_first_of("<>&\n"), std::string::npos);
  EXPECT_EQ(text, "\"\\u003c/script\\u003e\\u003c!--\\u2028\\u2029\\u0026\\\"\\\\\\u000a\"");
}

TEST(Markup, AWholeJsonValueCannotEndAScriptEither) {
  const nlohmann::ordered_json value{{"</script>", {"<!--", 1, true, nullptr}},
                                     {"b", {{"c", 0.5}}}};
  const std::string text = script_json(value);
  EXPECT_EQ(text.find_first_of("<>"), std::string::npos) << text;
  EXPECT_EQ(nlohmann::ordered_json::parse(text), value);
}

TEST(Markup, AShellWordIsQuotedOnlyWhereItMustBe) {
  EXPECT_EQ(shell_word("softmax/libtorch/rows=4096"), "softmax/libtorch/rows=4096");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's $(x)"), "'it'\\''s $(x)'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace plumbline
