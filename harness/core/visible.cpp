#include "core/visible.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "core/utf8.h"

namespace plumbline {
namespace {

struct Range {
  std::uint32_t first, last;
};

// Sorted by code point. Includes unassigned code points that are ignorable by default.
constexpr std::array kUnseen{
    Range{0x00, 0x08},       Range{0x0B, 0x1F},       Range{0x7F, 0x9F},
    Range{0xAD, 0xAD},       Range{0x34F, 0x34F},     Range{0x61C, 0x61C},
    Range{0x115F, 0x1160},   Range{0x17B4, 0x17B5},   Range{0x180B, 0x180F},
    Range{0x200B, 0x200F},   Range{0x2028, 0x202E},   Range{0x2060, 0x206F},
    Range{0x3164, 0x3164},   Range{0xFE00, 0xFE0F},   Range{0xFEFF, 0xFEFF},
    Range{0xFFA0, 0xFFA0},   Range{0xFFF0, 0xFFFB},   Range{0x1BCA0, 0x1BCA3},
    Range{0x1D173, 0x1D17A}, Range{0xE0000, 0xE0FFF},
};

/// `bytes` is one whole UTF-8 sequence.
std::uint32_t code_point_of(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 1) return lead;
  std::uint32_t code = lead & (0xFFU >> (bytes.size() + 1));
  for (const char c : bytes.substr(1))
    code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

bool is_unseen(std::uint32_t code) {
  const auto* const range = std::ranges::lower_bound(kUnseen, code, {}, &Range::last);
  return range != kUnseen.end() && range->first <= code;
}

std::string spelled_out(const char* format, std::uint32_t number) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), format, number);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Whether a CI system that reads a log takes the text from here on for a command.
bool is_command(std::string_view rest, bool begins_line) {
  if (rest.starts_with("::")) return begins_line;
  if (!rest.starts_with("##")) return false;
  const auto* const end = std::ranges::find_if_not(rest.substr(2), is_letter);
  return end != rest.end() && *end == '[';
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool begins_line = true;  // nothing but blanks so far
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0)
      out += spelled_out("⟨0x%02X⟩", static_cast<unsigned char>(bytes[0]));
    else if (const std::uint32_t code = code_point_of(bytes);
             is_unseen(code) || is_command(text, begins_line))
      out += spelled_out("⟨U+%04X⟩", code);
    else
      out += bytes;
    begins_line = bytes == "\n" || (begins_line && (bytes == " " || bytes == "\t"));
    text.remove_prefix(bytes.size());
  }
  return out;
}

}  // namespace plumbline
