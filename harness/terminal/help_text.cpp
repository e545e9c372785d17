#include "terminal/help_text.h"

#include <algorithm>

#include "terminal/console.h"

namespace plumbline {
namespace {

/// Where the words of a line begin: at `column` for a flag with its text, else behind the blanks.
std::size_t indent_of(std::string_view line, std::size_t column) {
  const bool has_text = line.size() > column && line.starts_with("  ") && line[column] != ' ' &&
                        line.substr(0, column).ends_with(' ');
  return has_text ? column : std::min(line.find_first_not_of(' '), line.size());
}

std::string wrapped_line(std::string_view line, std::size_t width, std::size_t column) {
  const std::size_t indent = indent_of(line, column);
  std::string text(line.substr(0, indent));
  std::size_t used = indent;
  for (std::string_view rest = line.substr(indent); !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::size_t length = width_of(rest.substr(0, end));
    if (used > indent && used + length > width) {
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n' + std::string(indent, ' ');
      used = indent;
    }
    const std::size_t next = std::min(rest.find_first_not_of(' ', end), rest.size());
    text += rest.substr(0, next);
    used += length + next - end;
    rest.remove_prefix(next);
  }
  return text;
}

}  // namespace

std::string wrapped_help(std::string_view text, std::size_t width, std::size_t column) {
  if (width < column + column / 2) column = width;  // too narrow for two columns
  std::string wrapped;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    wrapped += wrapped_line(text.substr(0, end), width, column);
    if (end < text.size()) wrapped += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return wrapped;
}

}  // namespace plumbline
