/// Texts of others for people to read: what acts without being seen is spelled out.
///
/// Knows no format: HTML, Markdown, XML and terminals escape what is theirs after it.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

/// The text with control characters, those that turn its direction, break lines or are not seen
/// spelled out, `⟨U+202E⟩`, and bytes that are no UTF-8 likewise, `⟨0xFF⟩`: no name can act on what
/// shows it, pass for another or vanish. Line feeds and tabs stay. Unicode 15.1: General_Category
/// Cc, Bidi_Control, Default_Ignorable_Code_Point, U+2028, U+2029 and U+FFF9 to U+FFFB.
std::string visible(std::string_view text);

}  // namespace plumbline
