/// The texts of a table row for a case × metric: the same in lists, in the table and in copies.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/model.h"
#include "reports/template.h"
#include "reports/units.h"

namespace plumbline {

struct Cells {
  QuantityPair times;  // both sides share unit and digits
  double factor = 1;   // shown value = value in base units × factor
  ChangeText change;   // for a run alone: no change, and the interval as `± 0.4 %`
  QuantityPair rate;   // only `after` and `unit`
  std::string peak;    // `87 %` of the nearer calibrated limit
  std::string spread;  // `0.8 %`
  std::string rounds;  // `3 × 8`: rounds × blocks per round
};
Cells cells_of(const CaseView& view);

/// "1.00 ms when it was accepted": if pairs decided and the baseline's side measures another value
/// today; else "".
std::string accepted_text(const Finding& finding);

/// Remarks beside a row: its reason, its former name, its flags; "" if there are none.
std::string remarks_of(const CaseView& view);

/// Name and parameters of a case id, for readers: `softmax`, `cudnn`, {rows, 4096}…
struct CaseName {
  std::string name, backend;
  std::vector<std::pair<std::string, std::string>> params;
};
CaseName name_of_case(std::string_view id);

/// `gemm libtorch float16 k=64 m=128`: for a line of text.
std::string case_words(std::string_view id);

// Data of templates in parts/.

/// For parts/case.html: the name, marked up so that parameters are recognisable.
PageData case_data(std::string_view id);

/// For parts/case_link.html, a link that opens the case on this page, and for parts/case.html.
PageData case_link(const CaseView& view);

/// For parts/label.html: `▲ slower` in its tone.
PageData label_data(const Label& label);

/// The fragment that filters the table, for links: `#q=…`, percent-encoded.
std::string query_link(std::string_view query);

/// For parts/lines.html: the lists that are not empty, with the class `kind`.
PageData lists_data(std::string_view kind, const std::vector<std::vector<std::string>>& lists);

/// Link to the rows that are left out, in the table of all cases, and their count. Null for none.
PageData more_data(std::size_t shown, std::size_t all, std::string_view query);

/// For parts/rows.html: a plain table of the first `limit` of `views`. A line about the others
/// links to `query` in the table of all cases.
PageData rows_data(const ReportModel& model, std::span<const CaseView* const> views,
                   std::size_t limit, std::string_view query);

}  // namespace plumbline
