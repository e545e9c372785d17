/// Output for a terminal or a log: colours and a status line.
///
/// Results go to standard output, messages to standard error. Does not know what is shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

enum class Colour { none, red, green, yellow, grey, bold };

/// --color: `automatic` is for terminals, unless NO_COLOR or TERM=dumb says otherwise.
enum class ColourUse { automatic, always, never };
void use_colour(ColourUse use);

/// -q, -v. Quiet: results and errors alone. Verbose: also files read and programs started.
enum class Verbosity { quiet, normal, verbose };
void set_verbosity(Verbosity verbosity);

/// Whether texts on descriptor 1 or 2 are coloured.
bool wants_colour(int descriptor);
/// The text in that colour if `wants_colour(descriptor)`.
std::string coloured(std::string_view text, Colour colour, int descriptor);

/// Opens descriptors 0 to 2 on /dev/null where they are closed, read-only, so that messages never
/// end up in another file of the program. Call it first in main.
void reserve_standard_descriptors();

/// Talk on standard error as it is, for texts of our own. The work goes on where it cannot be
/// written (a log on a full disk).
void say(std::string_view text);
/// The same, told even when quiet.
void say_error(std::string_view text);
/// Talk on standard error, made visible (core/visible.h); `note: …` is a line of it.
void print_talk(std::string_view text);
void print_note(std::string_view text);
/// Prints on standard output, unescaped, for programs. Throws Error if that fails (a full disk).
void print_result(std::string_view text);
/// Prints on standard output for people: escaped, except for our colours. Throws likewise.
void print_text(std::string_view text);

/// One line at the bottom of a terminal that is overwritten; nothing if standard error is not a
/// terminal.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  bool is_shown() const { return is_terminal_; }
  void show(const std::string& text);
  void clear();

 private:
  bool is_terminal_;
  bool is_dirty_ = false;
};

/// Width of a line on standard output in characters: of its terminal, else COLUMNS if that is set.
/// Otherwise 0, which means unlimited, so that logs and other programs get everything.
std::size_t output_width();

/// Number of characters in UTF-8 text; wide characters count as one.
std::size_t width_of(std::string_view text);

/// The first `columns` characters.
std::string_view cut(std::string_view text, std::size_t columns);

/// Breaks each line of a text for people at blanks if it is longer than `width` (0: never); the
/// rest is indented. Words, and numbers with their `%`, are never broken. Colours have no width.
std::string fitted(std::string_view text, std::size_t width = output_width());

}  // namespace plumbline
