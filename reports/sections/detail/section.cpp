/// One opened case: samples of both sides in time order, their table, and everything that is known.
#include "reports/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/parallel.h"
#include "core/run/import_mapping.h"
#include "reports/markup.h"
#include "reports/past.h"
#include "reports/sections/detail/beside.h"
#include "reports/sections/detail/code.h"
#include "reports/sections/detail/conditions.h"
#include "reports/sections/detail/deciles.h"
#include "reports/sections/detail/facts.h"
#include "reports/sections/detail/roofline.h"
#include "reports/sections/detail/samples.h"
#include "reports/text_list.h"

namespace plumbline {
namespace {

PageData content(const ReportModel&) { return PageData::object(); }

/// Converts a list of lines to lists of numbers into `texts`, in the order of `members`.
template <class Line, std::size_t N>
PageData lines_data(const std::vector<Line>& lines, std::string Line::*const (&members)[N],
                    TextList& texts) {
  PageData list = PageData::array();
  for (const Line& line : lines) {
    PageData& numbers = list.emplace_back(PageData::array());
    for (const auto member : members) numbers.push_back(texts.number_of(line.*member));
  }
  return list;
}

/// Information besides the metrics, once for each case: `[shown, kernels, whose]`.
class BesideList {
 public:
  BesideList(const ReportModel& model, TextList& texts) : model_(model), texts_(texts) {}

  std::size_t number_of(const CaseView& view) {
    const auto [place, is_new] = numbers_.try_emplace({view.suite, view.id}, numbers_.size());
    if (is_new) list_.push_back(entry(view));
    return place->second;
  }
  const PageData& list() const { return list_; }

 private:
  PageData entry(const CaseView& view) {
    static constexpr std::string ShownLine::*kShown[] = {&ShownLine::metric, &ShownLine::before,
                                                         &ShownLine::after, &ShownLine::unit,
                                                         &ShownLine::change};
    static constexpr std::string KernelLine::*kKernel[] = {
        &KernelLine::mark,      &KernelLine::name,   &KernelLine::grid,      &KernelLine::block,
        &KernelLine::registers, &KernelLine::shared, &KernelLine::occupancy, &KernelLine::calls,
        &KernelLine::time,      &KernelLine::code};
    const auto shown = model_.shown.find({std::string(view.suite), std::string(view.id)});
    const std::string_view before = view.baseline.kernels, after = view.candidate.kernels;
    const std::string_view whose = !before.empty() && after.empty() ? "baseline" : "";
    PageData beside = PageData::array();
    beside.push_back(shown == model_.shown.end()
                         ? PageData::array()
                         : lines_data(shown_lines(shown->second), kShown, texts_));
    const std::vector<KernelLine> kernels = kernel_lines(before, after);
    beside.push_back(lines_data(kernels, kKernel, texts_));
    // Its last number; most results have none, and a page has 10^4 cases.
    for (std::size_t i = 0; i < kernels.size(); ++i)
      if (kernels[i].code.empty()) beside.back()[i].erase(std::size(kKernel) - 1);
    beside.push_back(texts_.number_of(whose));
    return beside;
  }

  const ReportModel& model_;
  TextList& texts_;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> numbers_;
  PageData list_ = PageData::array();
};

/// Data drawn below the samples of a case: `"N":[deciles, conditions, roofline, past]` by row
/// number. For all cases if they fit, else for those that need action. Finding changes over many
/// runs takes milliseconds, so only the first cases have a past.
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
  const std::vector<std::string>& throttles() const { return throttles_.texts(); }

 private:
  static constexpr std::size_t kPastsMost = 300;

  /// Cases that need action come first.
  std::string of(std::size_t cases) {
    std::vector<std::string> deciles(cases);
    std::vector<std::string> pasts(cases);
    for_each_index(cases, [&](std::size_t i) {
      const CaseView& view = model_.cases[i];
      deciles[i] = deciles_json(deciles_of(view));
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

/// Room for the names of reasons for throttling.
constexpr std::size_t kThrottles = 1000;

std::string data(const ReportModel& model, std::size_t room_bytes) {
  TextList texts;
  BesideList beside(model, texts);
  std::vector<std::vector<Fact>> facts_of_cases(model.cases.size());
  for_each_index(model.cases.size(),
                 [&](std::size_t i) { facts_of_cases[i] = facts_of(model.cases[i]); });
  PageData facts = PageData::array();
  for (std::size_t i = 0; i < model.cases.size(); ++i) {
    beside.number_of(model.cases[i]);
    PageData& numbers = facts.emplace_back(PageData::array());
    for (const Fact& fact : facts_of_cases[i]) {
      numbers.push_back(texts.number_of(fact.label));
      numbers.push_back(texts.number_of(fact.text));
    }
  }
  const std::string facts_json = script_json(facts), beside_json = script_json(beside.list()),
                    texts_json = script_json(texts.texts()),
                    code = code_json(model.input.comparison);
  const std::size_t used =
      facts_json.size() + texts_json.size() + beside_json.size() + code.size() + 200;
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
    rows += fmt::format("{}[{},{},{},{:.7g},{:.7g},\"{}\",{:.7g},{:.7g},{}]",
                        rows.size() > 1 ? "," : "", int(detail_of(view, level)),
                        shapes.number_of(samples.baseline_shape),
                        shapes.number_of(samples.candidate_shape), samples.low, samples.high,
                        samples.values, view.baseline.estimate.value_or(0),
                        view.candidate.estimate.value_or(0), beside.number_of(view));
  }
  rows += ']';
  Drawn drawn(model);
  const std::string shapes_json = script_json(shapes.texts()),
                    runs = runs_json(model.input.history);
  const std::size_t taken = used + rows.size() + shapes_json.size() + runs.size() + kThrottles;
  const std::string drawn_json = level == SampleDetail::all && room_bytes > taken
                                     ? drawn.of_all(room_bytes - taken)
                                     : drawn.of_those_that_need_action();
  return fmt::format(
      "{{\"baseline_is_reduced\":{},\"is_imported\":{},\"texts\":{},\"facts\":{},\"beside\":{},"
      "\"code\":{},\"shapes\":{},\"rows\":"
      "{},\"throttles\":{},\"drawn\":{},\"runs\":{}}}",
      model.baseline_is_reduced,
      model.input.candidate->info.measurement_revision == kForeignRevision, texts_json, facts_json,
      beside_json, code, shapes_json, rows, script_json(drawn.throttles()), drawn_json, runs);
}

}  // namespace

Section detail_section() { return {"detail", 50, content, data}; }

}  // namespace plumbline
