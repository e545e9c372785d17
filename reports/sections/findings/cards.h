/// What needs action: a card for each cause of slower or broken cases, most costly first; for a
/// case without a cause (a failure of a run alone), one of its own.
#pragma once

#include <string>
#include <vector>

#include "reports/model.h"
#include "reports/strip.h"

namespace plumbline {

/// One metric of a card's case: `gpu_time_cold 12.41 µs → 12.89 µs +3.9 % [+3.4, +4.3]`.
struct CardLine {
  const CaseView* view = nullptr;
  std::string metric, before, after, unit, change, interval;
  std::string confirmation;  // by what the change was looked at again
};

struct Card {
  const Cause* cause = nullptr;
  const CaseView* view = nullptr;      // worst metric of the worst case
  std::vector<CardLine> lines;         // every metric of that case that needs action
  std::vector<const CaseView*> cases;  // all of the cause, by case and metric, in the page's order
  std::string reason;                  // why it is broken, "" for a change of time
  Strip strip;                         // of the worst metric
  Strip past;                          // of its earlier runs, where there are any
  std::string reproduce, accept;       // commands
};

/// At most `limit` cards; `total` counts all.
struct Cards {
  std::vector<Card> cards;
  std::size_t total = 0;
};
Cards make_cards(const ReportModel& model, std::size_t limit);

}  // namespace plumbline
