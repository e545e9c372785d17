/// CUDA source as bytes of a file: is it text that NVRTC reads whole?
///
/// NVRTC takes a NUL byte for the end of a source, 0xff for the end of a token stream, and calls
/// both a success. Pure.
#pragma once

#include <string>

namespace plumbline::nvrtc {

/// The text, without the byte order mark that editors put before UTF-8. Throws Error that names the
/// file and the line for UTF-16 and for bytes that no UTF-8 text has. Other encodings, as in a
/// comment of Latin-1, are let through: the compiler is.
std::string source_text(const std::string& path, std::string bytes);

}  // namespace plumbline::nvrtc
