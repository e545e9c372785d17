/// One case opened: samples of both sides in time order, the table behind them, all that is known.
#include "reports/section.h"

#include <fmt/format.h>

#include <map>

#include "reports/columns.h"
#include "reports/markup.h"
#include "reports/sections/detail/facts.h"
#include "reports/sections/detail/samples.h"

namespace plumbline {
namespace {

std::string html(const ReportModel&) {
  return "<aside id=\"detail\" class=\"scripted\" role=\"dialog\" aria-labelledby=\"detail-title\" "
         "tabindex=\"-1\" hidden></aside>\n";
}

std::string data(const ReportModel& model, std::size_t room_bytes) {
  TextList texts;
  std::string facts = "[";
  for (const CaseView& view : model.cases) {
    facts += facts.size() > 1 ? ",[" : "[";
    bool is_first = true;
    for (const Fact& fact : facts_of(view)) {
      if (!is_first) facts += ',';
      is_first = false;
      facts += std::to_string(texts.number_of(fact.label)) + ',' +
               std::to_string(texts.number_of(fact.text));
    }
    facts += ']';
  }
  facts += ']';
  const std::string texts_json = texts.json();
  const std::size_t used = facts.size() + texts_json.size() + 200;
  const SampleDetail level = detail_for_room(model, room_bytes > used ? room_bytes - used : 0);

  TextList shapes;
  std::string rows = "[";
  for (const CaseView& view : model.cases) {
    const SampleDetail own = detail_of(view, level);
    const EncodedSamples samples = encode_samples(view, own);
    rows += fmt::format(
        "{}[{},{},{},{:.8g},{:.8g},\"{}\",{:.7g},{:.7g}]", rows.size() > 1 ? "," : "", int(own),
        shapes.number_of(samples.baseline_shape), shapes.number_of(samples.candidate_shape),
        samples.low, samples.high, samples.values, view.baseline.estimate.value_or(0),
        view.candidate.estimate.value_or(0));
  }
  rows += ']';
  return fmt::format(
      "{{\"baseline_is_reduced\":{},\"texts\":{},\"facts\":{},\"shapes\":{},\"rows\":{}}}",
      model.baseline_is_reduced, texts_json, facts, shapes.json(), rows);
}

}  // namespace

Section detail_section() { return {"detail", 50, html, data}; }

}  // namespace plumbline
