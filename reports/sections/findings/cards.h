/// What needs action: a card for each cause of slower or broken cases, most costly first; for a
/// case without a cause (a failure of a run alone), one of its own.
#pragma once

#include <string>
#include <vector>

#include "reports/model.h"
#include "reports/template.h"

namespace plumbline {

struct Card {
  const Cause* cause = nullptr;
  const CaseView* view = nullptr;  // worst metric of the worst case
  PageData lines =
      PageData::array();  // every metric of that case that needs action, the worst first
  std::string metrics;    // those that changed as much as the worst, by name
  std::vector<const CaseView*> cases;  // all of the cause, by case and metric, in the page's order
  std::string reason;                  // why it is broken, "" for a change of time
  PageData figures = PageData::array();  // samples of the worst metric, its earlier runs
  std::string reproduce;                 // a command (commands.h has more)
};

/// At most `limit` cards; `total` counts all.
struct Cards {
  std::vector<Card> cards;
  std::size_t total = 0;
};
Cards make_cards(const ReportModel& model, std::size_t limit);

}  // namespace plumbline
