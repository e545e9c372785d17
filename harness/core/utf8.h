/// UTF-8 in untrusted text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumbline {

/// Length in bytes of the UTF-8 sequence at the start of `text`, which must not be empty; 0 where
/// there is no valid sequence (RFC 3629, section 4).
std::size_t utf8_length(std::string_view text);

/// The text for a message: whole up to 200 bytes, else about so much around the byte `at`, with `…`
/// where it is cut.
std::string excerpt(std::string_view text, std::size_t at);

}  // namespace plumbline
