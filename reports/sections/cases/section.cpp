/// Every case × metric in one table: search, sort, copy. The first rows are there as HTML.
#include "reports/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <vector>

#include "core/value.h"
#include "reports/cells.h"
#include "reports/columns.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

constexpr std::size_t kStaticRows = 200;

PageData content(const ReportModel& model) {
  std::vector<const CaseView*> views;
  for (const CaseView& view : model.cases | std::views::take(kStaticRows)) views.push_back(&view);
  PageData data = rows_data(model, views, kStaticRows, "");
  data["count"] = views.size();
  data["all"] = model.cases.size() > views.size() ? number_text(double(model.cases.size()), 0) : "";
  return data;
}

PageData labels_data(const std::map<int, Label>& labels) {
  PageData data = PageData::object();
  for (const auto& [rank, label] : labels)
    data[std::to_string(rank)] = {label.symbol, label.word, label.tone, label.needs_action};
  return data;
}

/// Suites by name with the words that name them on a command line.
PageData suites_data(const ReportModel& model) {
  PageData data = PageData::object();
  for (const SuiteRef& suite : model.input.candidate->info.suites)
    data[suite.name] = suite.path.empty() ? suite.name : suite.path;
  return data;
}

/// `{"softmax":{"stream.count":"1"}}`: by op the parameters that some ids name and others leave
/// out, with what these are at; "" where that is not known.
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

std::string data(const ReportModel& model, std::size_t) {
  TextList texts, units;
  std::map<int, Label> labels;
  std::vector<Scale> scales;
  Column id("id"), suite("suite"), label("label"), metric("metric"), unit("unit"), before("before"),
      after("after"), change("change"), interval("interval"), rate("rate"), rate_unit("rate_unit"),
      peak("peak"), spread("spread"), rounds("rounds"), said("said"), op("op");
  for (const CaseView& view : model.cases) {
    const Cells cells = cells_of(view);
    labels.emplace(view.label.rank, view.label);
    const std::size_t unit_number = units.number_of(cells.times.unit);
    if (unit_number == scales.size()) scales.push_back({cells.factor, cells.times.unit});
    id.add(view.id);
    suite.add(texts.number_of(view.suite));
    op.add(texts.number_of(view.op));
    label.add(std::size_t(view.label.rank));
    metric.add(texts.number_of(view.metric));
    unit.add(unit_number);
    before.add(cells.times.before);
    after.add(cells.times.after);
    change.add(cells.change.change);
    interval.add(texts.number_of(cells.change.interval));
    rate.add(cells.rate.after);
    rate_unit.add(texts.number_of(cells.rate.unit));
    peak.add(texts.number_of(cells.peak));
    spread.add(texts.number_of(cells.spread));
    rounds.add(texts.number_of(cells.rounds));
    said.add(texts.number_of(remarks_of(view)));
  }
  std::string json = fmt::format(
      "{{\"compared\":{},\"calibrated\":{},\"labels\":{},\"suites\":{},\"defaults\":{},"
      "\"factors\":[",
      model.input.comparison != nullptr, model.is_calibrated, script_json(labels_data(labels)),
      script_json(suites_data(model)), script_json(defaults_data(model)));
  for (std::size_t i = 0; i < scales.size(); ++i)
    json += fmt::format("{}{}", i > 0 ? "," : "", scales[i].factor);
  json += "],\"units\":" + units.json() + ",\"texts\":" + texts.json() + ",\"rows\":{";
  const Column* columns[] = {&id,     &suite,  &op,     &label,    &metric, &unit,
                             &before, &after,  &change, &interval, &rate,   &rate_unit,
                             &peak,   &spread, &rounds, &said};
  for (std::size_t i = 0; i < std::size(columns); ++i)
    json.append(i > 0 ? "," : "").append(columns[i]->json());
  return json + "}}";
}

}  // namespace

Section cases_section() { return {"cases", 40, content, data}; }

}  // namespace plumbline
