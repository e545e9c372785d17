/// A case over its runs up to the run of the page: for the cards and the case view.
///
/// Knows the content of a history, but reads none. Without an earlier time, a case has no past.
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

/// Runs between two changes, possibly without the candidate; level: their median.
struct PastLevel {
  std::size_t from = 0, to = 0;  // indexes of values; `to` is excluded
  double level = 0;              // in the metric's unit
};

struct Past {
  const History* history = nullptr;
  const Series* series = nullptr;
  bool has_candidate = true;                   // false: the candidate has no value
  std::vector<PastLevel> levels;               // in the order of time
  std::vector<std::string_view> devices = {};  // UUIDs of the runs, in order of first appearance
  double change = 0;  // of the candidate against the previous level, a fraction
};

/// Finds the cases of a page in the history.
class Pasts {
 public:
  /// `history`: runs up to and including the candidate, which is the last; null: there is none.
  Pasts(const History* history, const Run& candidate);
  /// Runs up to the candidate, which is the last if it has the case; null: no run has it.
  const Series* series_of(const CaseView& view) const;
  /// Searches for changes, which takes milliseconds. Nothing if no earlier run has the case.
  std::optional<Past> of(const CaseView& view) const;

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
  const History* history_;
  const Run& candidate_;
  std::map<Key, const Series*> series_;  // by suite, case, metric: of those that may be compared
                                         // the one that goes on longest
};

/// `GPU-2f6a1c09` for a GPU's UUID, other names unchanged, of several (`a,b`) each; "" stays "".
std::string short_device(std::string_view uuid);

/// `30 runs since 2026-10-01; the level since 2026-11-02 is 12.41 µs, this run +3.9 %`. With
/// several devices also their number, and whether none of the level's runs is of this run's device.
std::string past_text(const Past& past);

/// `[text, [[run, estimate, low, high], …], [[from, to, level], …], the last is the candidate's]`,
/// where run is its number in runs_json; "null" without a past.
std::string past_json(const std::optional<Past>& past);
/// `[[started_at, commit, short device], …]`; "[]" for no history.
std::string runs_json(const History* history);

/// Data of parts/figure.html: the last runs, with past_text() as title; null without a past.
PageData past_strip(const std::optional<Past>& past, std::string_view tone);

}  // namespace plumbline
