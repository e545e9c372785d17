#include "terminal/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "core/error.h"
#include "core/visible.h"

namespace plumbline {
namespace {

constexpr std::array<std::string_view, 6> kColourCodes{"", "31", "32", "33", "90", "1"};

/// Bytes of the sequence of `coloured` that the text begins with, 0 for none.
std::size_t colour_length(std::string_view text) {
  if (!wants_colour(STDOUT_FILENO)) return 0;
  for (const std::string_view code : kColourCodes)
    if (const std::string sequence = fmt::format("\x1b[{}m", code.empty() ? "0" : code);
        text.starts_with(sequence))
      return sequence.size();
  return 0;
}

/// One line of a table's cell.
std::string cell_text(std::string_view text) {
  std::string shown = visible(text);
  std::ranges::replace_if(
      shown, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return shown;
}

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

bool wants_colour(int descriptor) {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return !(no_colour && *no_colour) && !(terminal && std::strcmp(terminal, "dumb") == 0) &&
         isatty(descriptor);
}

std::string coloured(std::string_view text, Colour colour, int descriptor) {
  if (colour == Colour::none || !wants_colour(descriptor)) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kColourCodes[static_cast<std::size_t>(colour)], text);
}

void reserve_standard_descriptors() {
  int opened = 0;  // the lowest that is free
  while (opened >= 0 && opened <= STDERR_FILENO) opened = ::open("/dev/null", O_RDONLY);
  ::close(opened);
}

void say(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void print_talk(std::string_view text) { say(visible(text)); }

void print_note(std::string_view text) { print_talk(fmt::format("note: {}\n", text)); }

void print_result(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error(std::string("cannot write to standard output: ") + std::strerror(errno));
}

void print_text(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t own = std::min(text.find("\x1b["), text.size());
    shown += visible(text.substr(0, own));
    text.remove_prefix(own);
    const std::size_t length = colour_length(text);
    // What is no colour of ours gives its first character away.
    shown += length > 0 ? text.substr(0, length) : visible(text.substr(0, 1));
    text.remove_prefix(std::min(text.size(), std::max<std::size_t>(length, 1)));
  }
  print_result(shown);
}

Table::Table(std::vector<std::string> header, std::vector<bool> stands_right)
    : header_(std::move(header)), stands_right_(std::move(stands_right)) {
  stands_right_.resize(header_.size());
  for (std::string& name : header_) name = cell_text(name);
}

void Table::add(std::vector<Cell> row) {
  for (Cell& cell : row) cell.text = cell_text(cell.text);
  rows_.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    widths.push_back(width_of(header_[i]));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], width_of(row[i].text));
  }
  std::string text;
  const auto add_row = [&](auto&& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < header_.size(); ++i) {
      const Cell& cell = cell_of(i);
      const std::string padding(widths[i] - width_of(cell.text), ' ');
      const bool is_last = i + 1 == header_.size();
      if (stands_right_[i]) line += padding;
      line += coloured(cell.text, cell.colour, STDOUT_FILENO);
      if (!stands_right_[i] && !is_last) line += padding;
      if (!is_last) line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  add_row([&](std::size_t i) { return Cell{header_[i], Colour::grey}; });
  for (const auto& row : rows_) add_row([&](std::size_t i) { return row[i]; });
  return text;
}

StatusLine::StatusLine() : is_terminal_(isatty(STDERR_FILENO)) {}

void StatusLine::show(const std::string& text) {
  if (!is_terminal_) return;
  say(fmt::format("\r\x1b[K{}", cut(visible(text), terminal_width() - 1)));
  std::fflush(stderr);
  is_dirty_ = true;
}

void StatusLine::clear() {
  if (!is_dirty_) return;
  say("\r\x1b[K");
  std::fflush(stderr);
  is_dirty_ = false;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string_view cut(std::string_view text, std::size_t columns) {
  std::size_t i = 0;
  for (std::size_t seen = 0; i < text.size(); ++i)
    if ((text[i] & 0xc0) != 0x80 && seen++ == columns) break;
  return text.substr(0, i);
}

}  // namespace plumbline
