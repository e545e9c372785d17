/// A case over its runs up to the one that the page is about: for the cards and the case view.
///
/// Knows what a history says, reads none. A case of which no earlier run has a time has no past.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/history/history.h"
#include "reports/model.h"
#include "reports/template.h"

namespace plumbline {

/// Runs of one stretch between two changes, all or all but the candidate; level: their median.
struct PastLevel {
  std::size_t from = 0, to = 0;  // indexes of values, to not included
  double level = 0;              // in the metric's unit
};

struct Past {
  const History* history = nullptr;
  const Series* series = nullptr;
  bool has_candidate = true;      // the last value is the candidate's; else that has none
  std::vector<PastLevel> levels;  // in the order of time
  std::vector<std::string_view> devices =
      {};             // UUIDs of the runs, in the order in which they first come
  double change = 0;  // of the candidate against the level before it, a fraction
};

/// Looks cases of a page up in the history that it was given.
class Pasts {
 public:
  /// `history`: of runs up to and including the candidate, which is its last; null: there is none.
  Pasts(const History* history, const Run& candidate);
  /// Runs up to the candidate, which is the last where it has the case; null: none has it.
  const Series* series_of(const CaseView& view) const;
  /// Searches for changes, which takes milliseconds. None where no earlier run has the case.
  std::optional<Past> of(const CaseView& view) const;

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
  const History* history_;
  const Run& candidate_;
  std::map<Key, const Series*> series_;  // by suite, case, metric: of those that may be compared
                                         // the one that goes on longest
};

/// `GPU-2f6a1c09` of a GPU's UUID, other names whole, of several (`a,b`) each; "" stays "".
std::string short_device(std::string_view uuid);

/// `30 runs since 2026-10-01; the level since 2026-11-02 is 12.41 µs, this run +3.9 %`; of several
/// devices also of how many, and whether this run's is none of those of the level.
std::string past_text(const Past& past);

/// `[text, [[run, estimate, low, high], …], [[from, to, level], …], the last is the candidate's]`,
/// a run by its number in runs_json; "null" where there is no past.
std::string past_json(const std::optional<Past>& past);
/// `[[started_at, commit, short device], …]`; "[]" for no history.
std::string runs_json(const History* history);

/// Data of parts/figure.html: the last runs, with that text as title; null where there is no past.
PageData past_strip(const std::optional<Past>& past, std::string_view tone);

}  // namespace plumbline
