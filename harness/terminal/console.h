/// What people see in a terminal or a log: colours, one status line.
///
/// Results go to standard output, talk to standard error. Knows nothing of what is shown.
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
/// The text in that colour where `wants_colour(descriptor)`.
std::string coloured(std::string_view text, Colour colour, int descriptor);

/// Takes descriptors 0 to 2 where they are closed, so that no file of a run becomes one of them and
/// is talked into; they still cannot be written to. First thing in main.
void reserve_standard_descriptors();

/// Talk on standard error as it is, for texts of our own. The work goes on where it cannot be
/// written (a log on a full disk).
void say(std::string_view text);
/// The same, told even when quiet.
void say_error(std::string_view text);
/// Talk on standard error, made visible (core/visible.h); `note: …` is a line of it.
void print_talk(std::string_view text);
void print_note(std::string_view text);
/// Standard output, byte by byte: what programs read. Throws Error where it cannot be written (a
/// full disk).
void print_result(std::string_view text);
/// Standard output for people: visible, except for the colours of `coloured`. Throws likewise.
void print_text(std::string_view text);

/// One line at the bottom of a terminal, written over and over; nothing where standard error is no
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

/// Characters that a line of standard output holds: of its terminal, else COLUMNS where that is
/// set, else 0 for any number, so that logs and other programs get all.
std::size_t output_width();

/// Characters on the screen, for UTF-8 without wide ones.
std::size_t width_of(std::string_view text);

/// The first `columns` characters.
std::string_view cut(std::string_view text, std::size_t columns);

/// Each line of a text for people broken at blanks where it is longer than `width`, 0 for any. What
/// goes on is indented. Never broken are words, and a number from its `%`. Colours have no width.
std::string fitted(std::string_view text, std::size_t width = output_width());

}  // namespace plumbline
