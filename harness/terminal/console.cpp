#include "terminal/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "core/error.h"
#include "core/trace.h"
#include "core/visible.h"
#include "store/file.h"

namespace plumbline {
namespace {

ColourUse colour_use = ColourUse::automatic;
Verbosity verbosity_of_talk = Verbosity::normal;

constexpr std::array<std::string_view, 6> kColourCodes{"", "31", "32", "33", "90", "1"};

/// Length in bytes of one of our colour sequences at the start of the text; 0 if there is none.
std::size_t colour_length(std::string_view text) {
  if (!wants_colour(STDOUT_FILENO)) return 0;
  for (const std::string_view code : kColourCodes)
    if (const std::string sequence = fmt::format("\x1b[{}m", code.empty() ? "0" : code);
        text.starts_with(sequence))
      return sequence.size();
  return 0;
}

/// Width of a terminal; 0 if there is none or it is unknown.
std::size_t width_of_terminal(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void write_talk(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

/// Listens to core/trace.h.
void print_trace(const std::string& text) {
  static const auto begin = std::chrono::steady_clock::now();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  write_talk(fmt::format("[{:8.3f} s] {}\n", passed.count(), visible(text)));
}

}  // namespace

void use_colour(ColourUse use) { colour_use = use; }

void set_verbosity(Verbosity verbosity) {
  verbosity_of_talk = verbosity;
  if (verbosity == Verbosity::verbose) set_trace(print_trace);
}

bool wants_colour(int descriptor) {
  if (colour_use != ColourUse::automatic) return colour_use == ColourUse::always;
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
  int opened = 0;  // the lowest free descriptor
  while (opened >= 0 && opened <= STDERR_FILENO) opened = ::open("/dev/null", O_RDONLY);
  ::close(opened);
}

void say(std::string_view text) {
  if (verbosity_of_talk != Verbosity::quiet) write_talk(text);
}

void say_error(std::string_view text) { write_talk(text); }

void print_talk(std::string_view text) { say(visible(text)); }

void print_note(std::string_view text) { print_talk(fmt::format("note: {}\n", text)); }

void print_result(std::string_view text) {
  if (!write_all(STDOUT_FILENO, text))
    throw Error(std::string("cannot write to standard output: ") + std::strerror(errno));
}

void print_text(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t own = std::min(text.find("\x1b["), text.size());
    shown += visible(text.substr(0, own));
    text.remove_prefix(own);
    const std::size_t length = colour_length(text);
    // Escaping the first character makes other sequences harmless.
    shown += length > 0 ? text.substr(0, length) : visible(text.substr(0, 1));
    text.remove_prefix(std::min(text.size(), std::max<std::size_t>(length, 1)));
  }
  print_result(shown);
}

StatusLine::StatusLine()
    : is_terminal_(isatty(STDERR_FILENO) && verbosity_of_talk == Verbosity::normal) {}

void StatusLine::show(const std::string& text) {
  if (!is_terminal_) return;
  const std::size_t known = width_of_terminal(STDERR_FILENO), width = known > 0 ? known : 80;
  say(fmt::format("\r\x1b[K{}", cut(visible(text), width - 1)));
  std::fflush(stderr);
  is_dirty_ = true;
}

void StatusLine::clear() {
  if (!is_dirty_) return;
  say("\r\x1b[K");
  std::fflush(stderr);
  is_dirty_ = false;
}

std::size_t output_width() {
  if (const std::size_t width = width_of_terminal(STDOUT_FILENO); width > 0) return width;
  const char* const columns = std::getenv("COLUMNS");
  return columns ? std::strtoul(columns, nullptr, 10) : 0;
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

namespace {

/// Width without colour sequences.
std::size_t seen_width(std::string_view text) {
  std::size_t width = width_of(text);
  for (std::size_t at = 0; (at = text.find('\x1b', at)) != text.npos;) {
    const std::size_t end = std::min(text.find('m', at), text.size() - 1);
    width -= end + 1 - at;
    at = end + 1;
  }
  return width;
}

/// Length of the first word, with a `%` that follows it.
std::size_t word_length(std::string_view text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  return text.substr(end).starts_with(" %") ? end + 1 + word_length(text.substr(end + 1)) : end;
}

std::string fitted_line(std::string_view line, std::size_t width) {
  constexpr std::size_t kIndent = 2;
  const std::size_t margin = std::min(line.find_first_not_of(' '), line.size());
  std::string text(margin, ' ');
  line.remove_prefix(margin);
  std::size_t used = margin;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, word_length(line));
    const std::size_t needed = seen_width(word);
    if (used > margin && used + needed > width) {
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n' + std::string(margin + kIndent, ' ');
      used = margin + kIndent;
    }
    text += word;
    used += needed;
    line.remove_prefix(word.size());
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    text.append(blanks, ' ');
    used += blanks;
    line.remove_prefix(blanks);
  }
  return text;
}

}  // namespace

std::string fitted(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    lines += seen_width(line) > width ? fitted_line(line, width) : std::string(line);
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace plumbline
