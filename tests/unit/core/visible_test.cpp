#include "core/visible.h"

#include <gtest/gtest.h>

#include <string>

namespace plumbline {
namespace {

TEST(Visible, SpellsOutWhatATerminalWouldObeyAndLeavesTheRest) {
  EXPECT_EQ(visible("a\x1b[2Jb\r\ac\x7f"), "a⟨U+001B⟩[2Jb⟨U+000D⟩⟨U+0007⟩c⟨U+007F⟩");
  EXPECT_EQ(visible("csi \u009b"
                    "31m"),
            "csi ⟨U+009B⟩31m");
  EXPECT_EQ(visible(std::string_view("nul \0.", 6)), "nul ⟨U+0000⟩.");
  EXPECT_EQ(visible("± 2 µs …\n\tÂ 日 \U0001F600"), "± 2 µs …\n\tÂ 日 \U0001F600");
}

TEST(Visible, SpellsOutWhatTurnsTheTextOrIsNotSeen) {
  EXPECT_EQ(visible("a\u202Eb\u2028c\u2066\u200F\u061C"),
            "a⟨U+202E⟩b⟨U+2028⟩c⟨U+2066⟩⟨U+200F⟩⟨U+061C⟩");
  EXPECT_EQ(visible("ge\u200Bmm\uFEFF \u00AD\u2060"), "ge⟨U+200B⟩mm⟨U+FEFF⟩ ⟨U+00AD⟩⟨U+2060⟩");
  EXPECT_EQ(visible("\U000E0041\uFFFB"), "⟨U+E0041⟩⟨U+FFFB⟩");
}

// The neighbours of each range are visible letters, marks and signs.
TEST(Visible, LeavesWhatStandsBesideThem) {
  const std::string seen =
      "\u00A0\u00AC\u00AE\u061B\u200A\u2010\u2027\u202F\u205F\u2070\uFE10\uFFFC\uFFFD";
  EXPECT_EQ(visible(seen), seen);
}

TEST(Visible, NoLineIsACommandToACiSystem) {
  EXPECT_EQ(visible("::error::x"), "⟨U+003A⟩:error::x");
  EXPECT_EQ(visible("a\n \t::stop-commands::x"), "a\n \t⟨U+003A⟩:stop-commands::x");
  EXPECT_EQ(visible("a\r::x"), "a⟨U+000D⟩::x");
  EXPECT_EQ(visible("aten::add, ::, a ::b"), "aten::add, ::, a ::b");
  EXPECT_EQ(visible("k ##vso[task.prependpath]/evil"), "k ⟨U+0023⟩#vso[task.prependpath]/evil");
  EXPECT_EQ(visible("###[error]##teamcity[x]"), "#⟨U+0023⟩#[error]⟨U+0023⟩#teamcity[x]");
  EXPECT_EQ(visible("## vso[x] ##vso ##"), "## vso[x] ##vso ##");
}

TEST(Visible, BytesThatAreNoUtf8AreShown) {
  EXPECT_EQ(visible("lone \x9b\xc3, over \xc0\x9b, cut \xe2\x80"),
            "lone ⟨0x9B⟩⟨0xC3⟩, over ⟨0xC0⟩⟨0x9B⟩, cut ⟨0xE2⟩⟨0x80⟩");
  EXPECT_EQ(visible("\xED\xA0\x80"), "⟨0xED⟩⟨0xA0⟩⟨0x80⟩");  // a surrogate
}

}  // namespace
}  // namespace plumbline
