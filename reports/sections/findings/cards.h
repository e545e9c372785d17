/// Findings that need action: a card for each cause of slower or broken cases, most costly first. A
/// case without a cause (a failure of a run alone) has its own card.
#pragma once

#include <string>
#include <vector>

#include "reports/model.h"
#include "reports/template.h"

namespace plumbline {

struct Card {
  const Cause* cause = nullptr;
  const CaseView* view = nullptr;        // worst metric of the worst case
  PageData lines = PageData::array();    // every metric of that case that needs action, worst first
  std::string metrics;                   // names of metrics that changed as much as the worst
  std::vector<const CaseView*> cases;    // the cause's cases × metrics, in the page's order
  std::string reason;                    // why it is broken; "" for a change of time
  PageData figures = PageData::array();  // samples of the worst metric, and its earlier runs
  std::string reproduce;                 // one command; commands.h has more
};

/// At most `limit` cards; `total` counts all.
struct Cards {
  std::vector<Card> cards;
  std::size_t total = 0;
};
Cards make_cards(const ReportModel& model, std::size_t limit);

}  // namespace plumbline
