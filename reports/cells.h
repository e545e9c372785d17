/// A case × metric as the texts of its row: the same in lists, in the table and in its copies.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/model.h"
#include "reports/units.h"

namespace plumbline {

struct Cells {
  QuantityPair times;  // both sides share unit and digits
  double factor = 1;   // shown = base unit × factor
  ChangeText change;   // of a run alone: no change, and the interval as `± 0.4 %`
  QuantityPair rate;   // `after` and `unit`
  std::string peak;    // `87 %` of the nearer calibrated limit
  std::string spread;  // `0.8 %`
  std::string rounds;  // `3 × 8`: rounds × blocks of each
};
Cells cells_of(const CaseView& view);

/// What is said beside a row: its reason, its former name, its flags; "" where there is nothing.
std::string remarks_of(const CaseView& view);

/// Name and parameters of a case id, for reading: `softmax`, `cudnn`, {rows, 4096}…
struct CaseName {
  std::string name, backend;
  std::vector<std::pair<std::string, std::string>> params;
};
CaseName name_of_case(std::string_view id);

/// `<span class="case">…`: the name, set so that parameters read as such. Escaped.
std::string case_html(std::string_view id);

/// A link that opens the case on this page.
std::string case_link(const CaseView& view);

/// `▲ slower` in its tone.
std::string label_html(const Label& label);

/// The fragment that filters the table, for links: `#q=…`, percent-encoded.
std::string query_link(std::string_view query);

/// A plain table of `views`, the first `limit` of them, with a line for those left out that leads
/// to `query` in the table of all cases.
std::string rows_html(const ReportModel& model, std::span<const CaseView* const> views,
                      std::size_t limit, std::string_view query);

}  // namespace plumbline
