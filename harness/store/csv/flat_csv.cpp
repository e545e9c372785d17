#include "store/csv/flat_csv.h"

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "core/run/case.h"
#include "store/csv/column.h"
#include "store/csv/csv_writer.h"

namespace plumbline {
namespace {

template <auto Member, class Row>
constexpr FlatColumn<Row> flat(std::string_view name) {
  return {name, [](const Row& row, std::string& out) { print_field(row.*Member, out); },
          kind_of_member<std::remove_reference_t<decltype(std::declval<Row&>().*Member)>>()};
}

using S = CaseSummary;
constexpr std::array kSummaryColumns = std::to_array<FlatColumn<S>>({
    flat<&S::suite, S>("suite"),
    flat<&S::case_id, S>("case"),
    flat<&S::op, S>("op"),
    flat<&S::backend, S>("backend"),
    flat<&S::revision, S>("revision"),
    flat<&S::device, S>("device"),
    flat<&S::status, S>("status"),
    flat<&S::reason, S>("reason"),
    flat<&S::metric, S>("metric"),
    flat<&S::unit, S>("unit"),
    flat<&S::rounds, S>("visits"),
    flat<&S::samples, S>("samples"),
    flat<&S::estimate, S>("estimate"),
    flat<&S::low, S>("low"),
    flat<&S::high, S>("high"),
    flat<&S::flops_per_s, S>("flops_per_s"),
    flat<&S::bytes_per_s, S>("bytes_per_s"),
    flat<&S::percent_of_peak, S>("percent_of_peak"),
    flat<&S::flags, S>("flags"),
});

using F = Finding;
constexpr std::array kFindingColumns = std::to_array<FlatColumn<F>>({
    flat<&F::suite, F>("suite"),
    flat<&F::case_id, F>("case"),
    flat<&F::op, F>("op"),
    flat<&F::backend, F>("backend"),
    flat<&F::metric, F>("metric"),
    flat<&F::unit, F>("unit"),
    {"verdict", [](const F& row, std::string& out) { out += name_of(row.verdict); }},
    flat<&F::reason, F>("reason"),
    flat<&F::baseline, F>("baseline"),
    flat<&F::candidate, F>("candidate"),
    flat<&F::change, F>("change"),
    flat<&F::change_low, F>("change_low"),
    flat<&F::change_high, F>("change_high"),
    flat<&F::raw_change, F>("raw_change"),
    flat<&F::adjusted_p, F>("adjusted_p"),
    flat<&F::detectable, F>("detectable"),
    flat<&F::baseline_visits, F>("baseline_visits"),
    flat<&F::candidate_visits, F>("candidate_visits"),
    flat<&F::pairs, F>("pairs"),
    flat<&F::cause, F>("cause"),
    flat<&F::flags, F>("flags"),
});

template <class Row>
std::string flat_text(std::span<const FlatColumn<Row>> columns, std::span<const Row> rows) {
  std::vector<std::map<std::string, std::string>> params;
  std::set<std::string> keys;
  for (const Row& row : rows) {
    auto& own = params.emplace_back();
    for (auto& [key, value] : case_id_parts(row.case_id))
      if (!key.empty()) {
        keys.insert(key);
        own[key] = value;
      }
  }
  std::string out, field;
  for (const FlatColumn<Row>& column : columns)
    append_csv_field(out, column.name, &column == columns.data());
  for (const std::string& key : keys) append_csv_field(out, "param." + key, false);
  end_csv_row(out);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const FlatColumn<Row>& column : columns) {
      field.clear();
      column.print(rows[i], field);
      append_csv_field(out, field, &column == columns.data());
    }
    for (const std::string& key : keys) {
      const auto found = params[i].find(key);
      append_csv_field(out, found == params[i].end() ? "" : found->second, false);
    }
    end_csv_row(out);
  }
  return out;
}

}  // namespace

std::span<const FlatColumn<Finding>> finding_columns() { return kFindingColumns; }

std::string flat_csv(const Run& run) {
  const std::vector<CaseSummary> rows = summarize(run);
  return flat_text(std::span<const FlatColumn<S>>(kSummaryColumns), std::span<const S>(rows));
}

std::string flat_csv(const Comparison& comparison) {
  return flat_text(std::span<const FlatColumn<F>>(kFindingColumns),
                   std::span<const F>(comparison.findings));
}

}  // namespace plumbline
