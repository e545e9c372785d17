/// Text into HTML and JSON. Every name that comes from a suite, a commit or a device passes here.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

/// Text for HTML content and quoted attributes: markup escaped, control characters made visible
/// (U+2400 and following), those that turn the text's direction spelled out (⟨U+202E⟩), so that no
/// name can act on the page or vanish from it.
std::string escaped(std::string_view text);

/// A JSON string that is also safe inside a <script> element: `<`, `>`, `&`, U+2028 and U+2029 and
/// control characters are escaped, bytes that are no UTF-8 become U+FFFD.
void append_json(std::string& out, std::string_view text);

/// The text with U+FFFD for each byte that is no UTF-8.
std::string valid_utf8(std::string_view text);

/// One word for a POSIX shell: as it is where it is harmless, else in single quotes.
std::string shell_word(std::string_view text);

}  // namespace plumbline
