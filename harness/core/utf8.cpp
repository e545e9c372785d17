#include "core/utf8.h"

#include <algorithm>

namespace plumbline {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool is_overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool is_beyond = (lead == 0xed && byte(1) >= 0xa0) || (lead == 0xf4 && byte(1) >= 0x90);
  return is_overlong || is_beyond ? 0 : length;
}

std::string excerpt(std::string_view text, std::size_t at) {
  constexpr std::size_t kMost = 200;
  if (text.size() <= kMost) return std::string(text);
  const auto is_inside = [&](std::size_t i) {  // of a character
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
  };
  std::size_t begin = std::min(at - std::min(at, kMost / 2), text.size() - kMost);
  std::size_t end = begin + kMost;
  while (is_inside(begin)) ++begin;
  while (is_inside(end)) ++end;
  return (begin > 0 ? "…" : "") + std::string(text.substr(begin, end - begin)) +
         (end < text.size() ? "…" : "");
}

}  // namespace plumbline
