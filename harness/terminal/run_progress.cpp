#include "terminal/run_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "analysis/estimate/estimate.h"
#include "core/visible.h"
#include "core/words.h"

namespace plumbline {

Colour colour_of(Status status) {
  if (is_failure(status)) return Colour::red;
  return status == Status::ok ? Colour::green : Colour::yellow;
}

void RunProgress::on_progress(const Case& c, const Progress& progress) {
  const std::string left =
      std::isnan(progress.remaining_s)
          ? ""
          : std::string(progress.is_longest ? ", at most about " : ", about ") +
                duration_in_words(progress.remaining_s) + " left";
  if (!line_.is_shown() && progress.round != round_)
    say(fmt::format("{} {} of {}: {} of {} visits done{}\n", word_, progress.round + 1,
                    progress.rounds, progress.finished, progress.planned, left));
  round_ = progress.round;
  line_.show(fmt::format("{}/{} {} {} of {}{}: {}", progress.finished + 1, progress.planned, word_,
                         progress.round + 1, progress.rounds, left, c.id));
}

void RunProgress::on_visit(const Case& c, std::span<const ResultRow> rows) {
  const ResultRow& row = rows.front();
  if (has_samples(row.status) || row.status == Status::excluded ||
      row.status == Status::unsupported)
    return;
  line_.clear();
  const ExpectedFailure* const known = expectations_.met(c.suite, c.id, row.status);
  const Colour colour = known ? Colour::yellow : colour_of(row.status);
  say(fmt::format("{}{} {}: {}\n", coloured(name_of(row.status), colour, STDERR_FILENO),
                  known ? " as expected" : "", c.id, visible(known ? known->reason : row.reason)));
}

void RunProgress::on_note(const std::string& note) {
  line_.clear();
  print_note(note);
}

void ConsoleTalk::note(const std::string& text) {
  line_.clear();
  print_note(text);
}

void ConsoleTalk::now(const std::string& text) { text.empty() ? line_.clear() : line_.show(text); }

}  // namespace plumbline
