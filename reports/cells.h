/// A case × metric as the texts of its row: the same in lists, in the table and in its copies.
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
  double factor = 1;   // shown = base unit × factor
  ChangeText change;   // of a run alone: no change, and the interval as `± 0.4 %`
  QuantityPair rate;   // `after` and `unit`
  std::string peak;    // `87 %` of the nearer calibrated limit
  std::string spread;  // `0.8 %`
  std::string rounds;  // `3 × 8`: rounds × blocks of each
};
Cells cells_of(const CaseView& view);

/// "1.00 ms when it was accepted": where pairs decided and the baseline's side measures something
/// else today; "" otherwise.
std::string accepted_text(const Finding& finding);

/// What is said beside a row: its reason, its former name, its flags; "" where there is nothing.
std::string remarks_of(const CaseView& view);

/// Name and parameters of a case id, for reading: `softmax`, `cudnn`, {rows, 4096}…
struct CaseName {
  std::string name, backend;
  std::vector<std::pair<std::string, std::string>> params;
};
CaseName name_of_case(std::string_view id);

/// `gemm libtorch float16 k=64 m=128`: in a line of text.
std::string case_words(std::string_view id);

// Data of templates in parts/.

/// Of parts/case.html: the name, set so that parameters read as such.
PageData case_data(std::string_view id);

/// Of parts/case_link.html, a link that opens the case on this page, and of parts/case.html.
PageData case_link(const CaseView& view);

/// Of parts/label.html: `▲ slower` in its tone.
PageData label_data(const Label& label);

/// The fragment that filters the table, for links: `#q=…`, percent-encoded.
std::string query_link(std::string_view query);

/// Of parts/lines.html, lists of the class `kind`: those that are not empty.
PageData lists_data(std::string_view kind, const std::vector<std::vector<std::string>>& lists);

/// What leads to those that are left out, in the table of all cases: link and count. Null for none.
PageData more_data(std::size_t shown, std::size_t all, std::string_view query);

/// Of parts/rows.html: a plain table of `views`, the first `limit` of them, with a line for those
/// left out that leads to `query` in the table of all cases.
PageData rows_data(const ReportModel& model, std::span<const CaseView* const> views,
                   std::size_t limit, std::string_view query);

}  // namespace plumbline
