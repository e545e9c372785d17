/// Every case × metric in one table: search, sort, copy. The first rows are in the HTML.
#include "reports/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/value.h"
#include "reports/cells.h"
#include "reports/markup.h"
#include "reports/past.h"
#include "reports/text_list.h"

namespace plumbline {
namespace {

constexpr std::size_t kStaticRows = 200;
constexpr const char* kColumns[]{"id",        "suite", "op",     "label",    "metric", "unit",
                                 "before",    "after", "change", "interval", "p",      "rate",
                                 "rate_unit", "peak",  "spread", "rounds",   "said"};

PageData content(const ReportModel& model) {
  std::vector<const CaseView*> views;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const CaseView& view : model.cases)  // the most alarming metric of a case comes first
    if (seen.emplace(view.suite, view.id).second && views.size() < kStaticRows)
      views.push_back(&view);
  PageData data = rows_data(model, views, kStaticRows, "");
  data["count"] = views.size();
  data["all"] = seen.size() > views.size() ? number_text(double(seen.size()), 0) : "";
  return data;
}

PageData labels_data(const std::map<int, Label>& labels) {
  PageData data = PageData::object();
  for (const auto& [rank, label] : labels)
    data[std::to_string(rank)] = {label.symbol, label.word, label.tone, label.needs_action};
  return data;
}

/// The words that name suites on a command line, by suite name.
PageData suites_data(const ReportModel& model) {
  PageData data = PageData::object();
  for (const SuiteRef& suite : model.input.candidate->info.suites)
    data[suite.name] = suite.path.empty() ? suite.name : suite.path;
  return data;
}

/// `{"softmax":{"stream.count":"1"}}`: for each op, the parameters that only some ids name, with
/// their defaults; "" if unknown.
PageData defaults_data(const ReportModel& model) {
  std::map<std::string_view, std::set<std::string>> named;
  std::string_view before;
  for (const CaseView& view : model.cases) {
    if (view.id == before) continue;
    before = view.id;
    for (auto& [key, value] : name_of_case(view.id).params) named[view.op].insert(std::move(key));
  }
  PageData data = PageData::object();
  for (const auto& [op, keys] : named) {
    const auto of_op = model.input.defaults.find(op);
    const Params known = of_op == model.input.defaults.end() ? Params{} : of_op->second;
    PageData& defaults = data[std::string(op)] = PageData::object();
    for (const std::string& key : keys)
      defaults[key] = known.contains(key) ? to_text(known.at(key)) : "";
  }
  return data;
}

/// For each op with several cases, the parameters that all of them share: they distinguish nothing.
PageData shared_data(const ReportModel& model) {
  struct Seen {
    std::map<std::string, std::string> params;  // shared by all cases so far
    std::size_t cases = 0;
  };
  std::map<std::string_view, Seen> ops;
  std::string_view before;
  for (const CaseView& view : model.cases) {
    if (view.id == before) continue;
    before = view.id;
    Seen& seen = ops[view.op];
    const CaseName name = name_of_case(view.id);
    const std::map<std::string, std::string> params(name.params.begin(), name.params.end());
    if (seen.cases++ == 0)
      seen.params = params;
    else
      std::erase_if(seen.params, [&](const auto& param) {
        const auto found = params.find(param.first);
        return found == params.end() || found->second != param.second;
      });
  }
  PageData data = PageData::object();
  for (const auto& [op, seen] : ops)
    if (seen.cases > 1)
      for (const auto& [key, value] : seen.params) data[std::string(op)].push_back(key);
  return data;
}

bool has_one_backend(const ReportModel& model) {
  return std::ranges::all_of(model.cases, [&](const CaseView& view) {
    return view.backend == model.cases.front().backend;
  });
}

/// One digit for each of the last runs, 0 the lowest and 9 the highest; "" without a history.
std::string spark_text(const Series* series) {
  constexpr std::size_t kRuns = 16;
  if (series == nullptr || series->values.size() < 3) return "";
  const std::size_t first = series->values.size() - std::min(series->values.size(), kRuns);
  double low = INFINITY, high = -INFINITY;
  for (std::size_t i = first; i < series->values.size(); ++i) {
    low = std::min(low, series->values[i].estimate);
    high = std::max(high, series->values[i].estimate);
  }
  // Changes of less than 2 % must not look large.
  high = std::max(high, low * 1.02);
  std::string text;
  for (std::size_t i = first; i < series->values.size(); ++i)
    text += char('0' + int(std::lround(9 * (series->values[i].estimate - low) / (high - low))));
  return text;
}

/// P value of the comparison of this metric; "" for none.
std::string p_text(const CaseView& view) {
  return view.finding && view.finding->p_value ? fmt::format("{:.2g}", *view.finding->p_value) : "";
}

std::string data(const ReportModel& model, std::size_t) {
  TextList texts, units;
  std::map<int, Label> labels;
  PageData factors = PageData::array(), rows;  // a list for each column
  for (const char* column : kColumns) rows[column] = PageData::array();
  const Pasts pasts(model.input.history, *model.input.candidate);
  PageData sparks = PageData::array();
  for (const CaseView& view : model.cases) {
    const Cells cells = cells_of(view);
    labels.emplace(view.label.rank, view.label);
    const std::size_t unit = units.number_of(cells.times.unit);
    if (unit == factors.size()) factors.push_back(cells.factor);
    PageData values[]{view.id,
                      texts.number_of(view.suite),
                      texts.number_of(view.op),
                      view.label.rank,
                      texts.number_of(view.metric),
                      unit,
                      cells.times.before,
                      cells.times.after,
                      cells.change.change,
                      texts.number_of(cells.change.interval),
                      texts.number_of(p_text(view)),
                      cells.rate.after,
                      texts.number_of(cells.rate.unit),
                      texts.number_of(cells.peak),
                      texts.number_of(cells.spread),
                      texts.number_of(cells.rounds),
                      texts.number_of(remarks_of(view))};
    static_assert(std::size(values) == std::size(kColumns));
    for (auto column = rows.begin(); PageData & value : values)
      (column++)->push_back(std::move(value));
    if (model.input.history) sparks.push_back(spark_text(pasts.series_of(view)));
  }
  if (model.input.history) rows["spark"] = std::move(sparks);
  return script_json({{"compared", model.input.comparison != nullptr},
                      {"calibrated", model.is_calibrated},
                      {"labels", labels_data(labels)},
                      {"suites", suites_data(model)},
                      {"defaults", defaults_data(model)},
                      {"shared", shared_data(model)},
                      {"one_backend", has_one_backend(model)},
                      {"factors", std::move(factors)},
                      {"units", units.texts()},
                      {"texts", texts.texts()},
                      {"rows", std::move(rows)}});
}

}  // namespace

Section cases_section() { return {"cases", 40, content, data}; }

}  // namespace plumbline
