/// Help of the command line, laid out for the width of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumbline {

/// Breaks lines that are longer than `width` between words. The text of a flag goes on at `column`,
/// where it began; any other line goes on at its own indent.
std::string wrapped_help(std::string_view text, std::size_t width, std::size_t column);

}  // namespace plumbline
