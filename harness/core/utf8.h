/// Texts of others, byte by byte.
#pragma once

#include <cstddef>
#include <string_view>

namespace plumbline {

/// Bytes of the UTF-8 sequence at the start of `text`, which is not empty; 0 where it begins with
/// none (RFC 3629, section 4).
std::size_t utf8_length(std::string_view text);

}  // namespace plumbline
