#include "reports/markup.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

#include "core/utf8.h"

namespace plumbline {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

/// Calls one of the two for each character: `ascii(char)` or `other(bytes)`.
template <typename Ascii, typename Other>
void for_each_character(std::string_view text, Ascii ascii, Other other) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 1)
      ascii(text[i]);
    else
      other(length == 0 ? kReplacement : text.substr(i, length));
    i += length == 0 ? 1 : length;
  }
}

/// Characters that turn the direction of what follows (Unicode's bidirectional controls), or break
/// lines without being a newline: `U+202E` and the like, "" for any other.
std::string name_if_directional(std::string_view bytes) {
  if (bytes == "\u061C") return "U+061C";
  if (bytes.size() != 3 || bytes[0] != '\xE2') return "";
  const unsigned code = 0x2000U | ((static_cast<unsigned char>(bytes[1]) & 0x3FU) << 6U) |
                        (static_cast<unsigned char>(bytes[2]) & 0x3FU);
  const bool is_directional = code == 0x200E || code == 0x200F ||
                              (code >= 0x2028 && code <= 0x202E) ||
                              (code >= 0x2066 && code <= 0x2069);
  return is_directional ? fmt::format("U+{:04X}", code) : "";
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(
      text, [&](char c) { out += c; }, [&](std::string_view bytes) { out += bytes; });
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const auto ascii = [&](char c) {
    const auto code = static_cast<unsigned char>(c);
    switch (c) {
      case '&':
        out += "&amp;";
        return;
      case '<':
        out += "&lt;";
        return;
      case '>':
        out += "&gt;";
        return;
      case '"':
        out += "&quot;";
        return;
      case '\'':
        out += "&#39;";
        return;
      default:
        break;
    }
    if (code < 0x20)
      fmt::format_to(std::back_inserter(out), "&#{};", 0x2400 + code);
    else if (code == 0x7F)
      out += "&#9249;";
    else
      out += c;
  };
  const auto other = [&](std::string_view bytes) {
    const std::string name = name_if_directional(bytes);
    if (name.empty())
      out += bytes;
    else
      out.append("⟨").append(name).append("⟩");
  };
  for_each_character(text, ascii, other);
  return out;
}

void append_json(std::string& out, std::string_view text) {
  out += '"';
  const auto ascii = [&](char c) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code < 0x20 || code == 0x7F || c == '<' || c == '>' || c == '&') {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
    } else {
      out += c;
    }
  };
  const auto other = [&](std::string_view bytes) {
    if (bytes == "\u2028")
      out += "\\u2028";
    else if (bytes == "\u2029")
      out += "\\u2029";
    else
      out += bytes;
  };
  for_each_character(text, ascii, other);
  out += '"';
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kHarmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!text.empty() && text.find_first_not_of(kHarmless) == std::string_view::npos)
    return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'')
      word += "'\\''";
    else
      word += c;
  }
  return word + "'";
}

}  // namespace plumbline
