#include "reports/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/utf8.h"
#include "core/visible.h"

namespace plumbline {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

/// Of three characters: GitHub makes a link of www.x.
bool is_www(const char* text) {
  return std::all_of(text, text + 3, [](char c) { return c == 'w' || c == 'W'; });
}

/// Calls one of the two functions for each character: `ascii(char)` or `other(bytes)`.
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
  for (const char c : visible(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\n':
        out += "&#9226;";
        break;
      case '\t':
        out += "&#9225;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string markdown_escaped(std::string_view text) {
  std::string out;
  const std::string shown = visible(text);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    const std::string_view rest = std::string_view(shown).substr(i);
    const bool is_markup = std::string_view("\\`*_{}[]<>|#~&").find(c) != std::string_view::npos;
    const bool is_of_link =
        rest.starts_with("://") || (c == '.' && i >= 3 && is_www(rest.data() - 3));
    if (is_markup || is_of_link) out += '\\';
    if (c == '@')
      out += "⟨@⟩";
    else
      out += c == '\n' ? ' ' : c;
  }
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

namespace {

void append_value(std::string& out, const nlohmann::ordered_json& value) {
  if (value.is_string()) return append_json(out, value.get_ref<const std::string&>());
  if (value.is_number_float() && std::isfinite(value.get<double>())) {
    fmt::format_to(std::back_inserter(out), "{:.6g}", value.get<double>());
    return;
  }
  if (!value.is_structured()) {
    out += value.dump();
    return;
  }
  out += value.is_object() ? '{' : '[';
  bool is_first = true;
  for (auto member = value.begin(); member != value.end(); ++member) {
    if (!std::exchange(is_first, false)) out += ',';
    if (value.is_object()) {
      append_json(out, member.key());
      out += ':';
    }
    append_value(out, *member);
  }
  out += value.is_object() ? '}' : ']';
}

}  // namespace

std::string script_json(const nlohmann::ordered_json& value) {
  std::string out;
  append_value(out, value);
  return out;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~/";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
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
