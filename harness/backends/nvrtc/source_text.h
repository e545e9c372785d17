/// Checks that the bytes of a CUDA source are text that NVRTC reads completely.
///
/// NVRTC ends a source at a NUL byte and a token stream at 0xff, and reports success for both.
/// Pure.
#pragma once

#include <string>

namespace plumbline::nvrtc {

/// The text, without the byte order mark that editors put before UTF-8. Throws Error with file and
/// line for UTF-16 and for bytes that UTF-8 never contains. Other encodings, such as a comment in
/// Latin-1, are accepted, because the compiler accepts them.
std::string source_text(const std::string& path, std::string bytes);

}  // namespace plumbline::nvrtc
