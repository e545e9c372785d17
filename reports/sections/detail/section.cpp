/// One case opened: samples of both sides in time order, the table behind them, all that is known.
#include "reports/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/import_mapping.h"
#include "core/parallel.h"
#include "reports/columns.h"
#include "reports/markup.h"
#include "reports/past.h"
#include "reports/sections/detail/beside.h"
#include "reports/sections/detail/conditions.h"
#include "reports/sections/detail/deciles.h"
#include "reports/sections/detail/facts.h"
#include "reports/sections/detail/roofline.h"
#include "reports/sections/detail/samples.h"

namespace plumbline {
namespace {

PageData content(const ReportModel&) { return PageData::object(); }

/// A list of lists of numbers into `texts`: each line's members in their order.
template <class Line, std::size_t N>
std::string lines_json(const std::vector<Line>& lines, std::string Line::*const (&members)[N],
                       TextList& texts) {
  std::string json = "[";
  for (const Line& line : lines) {
    json += json.size() > 1 ? ",[" : "[";
    for (std::size_t i = 0; i < N; ++i)
      json += (i > 0 ? "," : "") + std::to_string(texts.number_of(line.*members[i]));
    json += ']';
  }
  return json + "]";
}

/// What stands beside the metrics of each case, once a case: `[shown, kernels, whose]`.
class BesideList {
 public:
  BesideList(const ReportModel& model, TextList& texts) : model_(model), texts_(texts) {}

  std::size_t number_of(const CaseView& view) {
    const auto [place, is_new] = numbers_.try_emplace({view.suite, view.id}, numbers_.size());
    if (is_new) json_ += (json_.empty() ? "" : ",") + entry(view);
    return place->second;
  }
  std::string json() const { return "[" + json_ + "]"; }

 private:
  std::string entry(const CaseView& view) {
    static constexpr std::string ShownLine::*kShown[] = {&ShownLine::metric, &ShownLine::before,
                                                         &ShownLine::after, &ShownLine::unit,
                                                         &ShownLine::change};
    static constexpr std::string KernelLine::*kKernel[] = {
        &KernelLine::mark,      &KernelLine::name,      &KernelLine::grid,
        &KernelLine::block,     &KernelLine::registers, &KernelLine::shared,
        &KernelLine::occupancy, &KernelLine::calls,     &KernelLine::time};
    const auto shown = model_.shown.find({std::string(view.suite), std::string(view.id)});
    const std::string_view before = view.baseline.kernels, after = view.candidate.kernels;
    const std::string_view whose = !before.empty() && after.empty() ? "baseline" : "";
    return "[" +
           (shown == model_.shown.end() ? "[]"
                                        : lines_json(shown_lines(shown->second), kShown, texts_)) +
           "," + lines_json(kernel_lines(before, after), kKernel, texts_) + "," +
           std::to_string(texts_.number_of(whose)) + "]";
  }

  const ReportModel& model_;
  TextList& texts_;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> numbers_;
  std::string json_;
};

/// What is drawn below the samples of a case: `"N":[deciles, conditions, roofline, past]` by the
/// number of its row. Of every case where that fits, else of those that need action; changes over
/// many runs take milliseconds to find, so that only the first cases have a past.
class Drawn {
 public:
  explicit Drawn(const ReportModel& model)
      : model_(model), pasts_(model.input.history, *model.input.candidate) {}

  std::string of_all(std::size_t room_bytes) {
    std::string json = of(model_.cases.size());
    if (json.size() <= room_bytes) return json;
    throttles_ = {};
    return of_those_that_need_action();
  }
  std::string of_those_that_need_action() {
    return of(std::size_t(std::ranges::count_if(
        model_.cases, [](const CaseView& view) { return view.label.needs_action; })));
  }
  std::string throttles_json() const { return throttles_.json(); }

 private:
  static constexpr std::size_t kPastsMost = 300;

  /// Those that need action are the first.
  std::string of(std::size_t cases) {
    std::vector<std::string> deciles(cases);
    std::vector<std::string> pasts(cases);
    for_each_index(cases, [&](std::size_t i) {
      const CaseView& view = model_.cases[i];
      deciles[i] = deciles_json(deciles_of(view, model_.baseline_is_reduced));
      pasts[i] = i < kPastsMost ? past_json(pasts_.of(view)) : "null";
    });
    std::string json;
    for (std::size_t i = 0; i < cases; ++i)
      json += fmt::format("{}\"{}\":[{},{},{},{}]", json.empty() ? "" : ",", i, deciles[i],
                          conditions_json(model_.cases[i], throttles_),
                          roofline_json(model_.cases[i]), pasts[i]);
    return "{" + json + "}";
  }

  const ReportModel& model_;
  const Pasts pasts_;
  TextList throttles_;
};

std::string data(const ReportModel& model, std::size_t room_bytes) {
  TextList texts;
  BesideList beside(model, texts);
  std::vector<std::vector<Fact>> facts_of_cases(model.cases.size());
  for_each_index(model.cases.size(),
                 [&](std::size_t i) { facts_of_cases[i] = facts_of(model.cases[i]); });
  std::string facts = "[";
  for (std::size_t i = 0; i < model.cases.size(); ++i) {
    beside.number_of(model.cases[i]);
    facts += facts.size() > 1 ? ",[" : "[";
    bool is_first = true;
    for (const Fact& fact : facts_of_cases[i]) {
      if (!is_first) facts += ',';
      is_first = false;
      facts += std::to_string(texts.number_of(fact.label)) + ',' +
               std::to_string(texts.number_of(fact.text));
    }
    facts += ']';
  }
  facts += ']';
  const std::string texts_json = texts.json(), beside_json = beside.json();
  const std::size_t used = facts.size() + texts_json.size() + beside_json.size() + 200;
  const SampleDetail level = detail_for_room(model, room_bytes > used ? room_bytes - used : 0);

  std::vector<EncodedSamples> encoded(model.cases.size());
  for_each_index(model.cases.size(), [&](std::size_t i) {
    encoded[i] = encode_samples(model.cases[i], detail_of(model.cases[i], level));
  });
  TextList shapes;
  std::string rows = "[";
  for (std::size_t i = 0; i < model.cases.size(); ++i) {
    const CaseView& view = model.cases[i];
    const EncodedSamples& samples = encoded[i];
    rows += fmt::format("{}[{},{},{},{:.8g},{:.8g},\"{}\",{:.7g},{:.7g},{}]",
                        rows.size() > 1 ? "," : "", int(detail_of(view, level)),
                        shapes.number_of(samples.baseline_shape),
                        shapes.number_of(samples.candidate_shape), samples.low, samples.high,
                        samples.values, view.baseline.estimate.value_or(0),
                        view.candidate.estimate.value_or(0), beside.number_of(view));
  }
  rows += ']';
  Drawn drawn(model);
  const std::size_t taken = used + rows.size();
  const std::string drawn_json = level == SampleDetail::all && room_bytes > taken
                                     ? drawn.of_all(room_bytes - taken)
                                     : drawn.of_those_that_need_action();
  return fmt::format(
      "{{\"baseline_is_reduced\":{},\"is_imported\":{},\"texts\":{},\"facts\":{},\"beside\":{},"
      "\"shapes\":{},\"rows\":"
      "{},\"throttles\":{},\"drawn\":{},\"runs\":{}}}",
      model.baseline_is_reduced,
      model.input.candidate->info.measurement_revision == kForeignRevision, texts_json, facts,
      beside_json, shapes.json(), rows, drawn.throttles_json(), drawn_json,
      runs_json(model.input.history));
}

}  // namespace

Section detail_section() { return {"detail", 50, content, data}; }

}  // namespace plumbline
