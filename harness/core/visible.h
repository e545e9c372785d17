/// Escapes invisible characters in untrusted text.
///
/// Knows no format: HTML, Markdown, XML and terminals apply their own escapes afterwards.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

/// Escapes control characters, and characters that change the text direction, break lines or are
/// invisible, as `⟨U+202E⟩`; invalid UTF-8 bytes as `⟨0xFF⟩`. No name can then act on what shows
/// it, imitate another name or vanish. CI systems obey what a log says: the first character of `::`
/// at the begin of a line (GitHub), and of `##vso[` and the like anywhere (GitHub, Azure, TeamCity)
/// is escaped, too. Line feeds and tabs stay. Unicode 15.1: General_Category Cc,
/// Bidi_Control, Default_Ignorable_Code_Point, U+2028, U+2029 and U+FFF9 to U+FFFB.
std::string visible(std::string_view text);

}  // namespace plumbline
