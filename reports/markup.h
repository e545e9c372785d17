/// Text into HTML, Markdown, JSON and URIs. Every name that comes from a suite, a commit or a
/// device passes here.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace plumbline {

/// Text for HTML content and quoted attributes: visible (core/visible.h), with markup escaped and
/// line feeds and tabs as pictures (U+240A, U+2409), so that no name can act on the page or vanish
/// from it.
std::string escaped(std::string_view text);

/// Text of one line of Markdown, cells of tables among them: visible, and no character acts as
/// markup.
std::string markdown_escaped(std::string_view text);

/// A JSON string that is also safe inside a <script> element: `<`, `>`, `&`, U+2028 and U+2029 and
/// control characters are escaped, bytes that are no UTF-8 become U+FFFD.
void append_json(std::string& out, std::string_view text);

/// The same of a whole value, compact; fractions have six significant digits, which is finer than
/// any interval, and are null where they are not finite.
std::string script_json(const nlohmann::ordered_json& value);

/// The text with U+FFFD for each byte that is no UTF-8.
std::string valid_utf8(std::string_view text);

/// The text within the path, query or fragment of a URI (RFC 3986): `/` stays.
std::string percent_encoded(std::string_view text);

/// One word for a POSIX shell: as it is where it is harmless, else in single quotes.
std::string shell_word(std::string_view text);

}  // namespace plumbline
