/// Converts text to HTML, Markdown, JSON and URIs. Every name from a suite, a commit or a device
/// goes through here.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace plumbline {

/// Text for HTML content and quoted attributes. Invisible characters are spelled out
/// (core/visible.h), markup is escaped, line feeds and tabs become symbols (U+240A, U+2409): no
/// name can act on the page or disappear.
std::string escaped(std::string_view text);

/// Text for one line of Markdown or a table cell: invisible characters are spelled out, and no
/// character acts as markup. Nothing becomes a link, and nobody is called: `@` is `⟨@⟩`, since a
/// server looks for names in the text that is shown.
std::string markdown_escaped(std::string_view text);

/// A JSON string that is also safe inside a <script> element: escapes `<`, `>`, `&`, U+2028, U+2029
/// and control characters; bytes that are not UTF-8 become U+FFFD.
void append_json(std::string& out, std::string_view text);

/// The same for a whole value, compact. Fractions have six significant digits, which is finer than
/// any interval; numbers that are not finite become null.
std::string script_json(const nlohmann::ordered_json& value);

/// The text with U+FFFD for each byte that is not valid UTF-8.
std::string valid_utf8(std::string_view text);

/// Encodes text for the path, query or fragment of a URI (RFC 3986); `/` stays.
std::string percent_encoded(std::string_view text);

/// One word for a POSIX shell: in single quotes unless it is harmless.
std::string shell_word(std::string_view text);

}  // namespace plumbline
