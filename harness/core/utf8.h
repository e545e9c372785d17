/// UTF-8 in untrusted text.
#pragma once

#include <cstddef>
#include <string_view>

namespace plumbline {

/// Length in bytes of the UTF-8 sequence at the start of `text`, which must not be empty; 0 where
/// there is no valid sequence (RFC 3629, section 4).
std::size_t utf8_length(std::string_view text);

}  // namespace plumbline
