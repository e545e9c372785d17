#include "reports/model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/compare/compare.h"
#include "analysis/compare/expected.h"
#include "analysis/estimate/estimate.h"
#include "core/error.h"
#include "core/run/metric.h"
#include "reports/markup.h"

namespace plumbline {
namespace {

constexpr double kConfidence = 0.99;  // of the interval of a run alone
constexpr double kIntensity = 16;     // FLOP per byte; from here on, work is shown as FLOP/s

using CaseKeyView = std::pair<std::string_view, std::string_view>;  // suite, case id

/// The cases of a run by name; empty without a run.
class RunIndex {
 public:
  explicit RunIndex(const Run* run) {
    if (run == nullptr) return;
    cases_ = rows_by_case(*run);
    for (std::size_t i = 0; i < cases_.size(); ++i)
      places_.emplace(CaseKeyView(cases_[i].suite, cases_[i].case_id), i);
  }
  const CaseRows* find(const CaseKeyView& name) const {
    const auto at = places_.find(name);
    return at == places_.end() ? nullptr : &cases_[at->second];
  }

 private:
  struct Hash {
    std::size_t operator()(const CaseKeyView& name) const {
      const std::hash<std::string_view> hash;
      return hash(name.first) * 31 + hash(name.second);
    }
  };
  std::vector<CaseRows> cases_;
  std::unordered_map<CaseKeyView, std::size_t, Hash> places_;
};

/// The visits of `metric`, or of the first metric if none is named. Other information about the
/// case comes from its last row.
SideView make_side(const CaseRows* rows, std::string_view metric) {
  SideView side;
  if (rows == nullptr || rows->rows.empty()) return side;
  side.row = rows->rows.back();
  side.absent = rows->absent;
  for (const ResultRow* row : rows->rows)
    if (!row->kernels.empty()) side.kernels = row->kernels;
  for (const MetricRows& candidate : rows->metrics) {
    if (candidate.metric != metric && !metric.empty()) continue;
    side.visits = candidate.rows;
    side.row = side.visits.back();
    break;
  }
  std::stable_sort(side.visits.begin(), side.visits.end(),
                   [](const ResultRow* a, const ResultRow* b) {
                     return std::tie(a->round, a->part) < std::tie(b->round, b->part);
                   });
  return side;
}

std::optional<double> spread_of(const SideView& side, std::vector<double>& pool) {
  pool.clear();
  for (const ResultRow* row : side.visits)
    for (std::size_t i = 0; i < row->samples.blocks(); ++i)
      if (counts(*row, i))
        std::ranges::copy_if(row->samples.block(i), std::back_inserter(pool),
                             [](double value) { return std::isfinite(value); });
  if (pool.size() < 10 || !side.estimate || *side.estimate == 0) return std::nullopt;
  const auto at = [&](double share) {
    const auto place = pool.begin() + std::ptrdiff_t(share * double(pool.size() - 1));
    std::nth_element(pool.begin(), place, pool.end());
    return *place;
  };
  const double low = at(0.1), high = at(0.9);
  return (high - low) / std::abs(*side.estimate);
}

void note_flags(std::vector<std::string_view>& flags, const std::vector<std::string>& more) {
  for (const std::string& flag : more)
    if (std::find(flags.begin(), flags.end(), flag) == flags.end()) flags.push_back(flag);
}

void note_achieved(CaseView& view, const RunInfo& info) {
  const std::vector<const ResultRow*>& visits = view.candidate.visits;
  view.achieved = achieved({view.metric, view.unit, visits}, estimate(visits), info);
  for (const std::string_view flag : view.achieved.flags)
    if (std::ranges::find(view.flags, flag) == view.flags.end()) view.flags.push_back(flag);
}

/// Both kinds of view take this from the rows of the candidate, else of the baseline.
void fill_from_rows(CaseView& view, const RunInfo& info) {
  const ResultRow* row = view.candidate.row ? view.candidate.row : view.baseline.row;
  for (const ResultRow* visit : view.candidate.visits) note_flags(view.flags, visit->flags);
  note_achieved(view, info);
  if (row == nullptr) return;
  view.flops = row->flops;
  view.bytes = row->bytes;
  if (view.op.empty()) view.op = row->op;
  if (view.backend.empty()) view.backend = row->backend;
}

CaseView view_of(const Comparison& comparison, const Finding& finding, const RunIndex& baseline,
                 const RunIndex& candidate, const RunInfo& info) {
  CaseView view;
  view.suite = finding.suite;
  view.id = finding.case_id;
  view.op = finding.op;
  view.backend = finding.backend;
  view.metric = finding.metric;
  view.unit = finding.unit;
  view.finding = &finding;
  const CaseKeyView key{finding.suite, finding.case_id};
  const CaseKeyView old_key{finding.suite,
                            finding.renamed_from.empty() ? finding.case_id : finding.renamed_from};
  view.baseline = make_side(baseline.find(old_key), finding.metric);
  view.candidate = make_side(candidate.find(key), finding.metric);
  view.baseline.estimate = finding.baseline;
  view.candidate.estimate = finding.candidate;
  view.label = label_of(finding.verdict);
  view.status = finding.candidate_status;
  view.reason = finding.reason;
  if (view.reason.empty() && view.candidate.row) view.reason = view.candidate.row->reason;
  if (const auto excuse = excuse_of(comparison, finding)) {
    view.reason = std::string(view.label.word) + "; " + view.reason;
    view.label = label_of(*excuse);
  }
  note_flags(view.flags, finding.flags);
  fill_from_rows(view, info);
  return view;
}

CaseView view_alone(const CaseSummary& summary, const RunIndex& candidate, const RunInfo& info,
                    const Expectations& expectations) {
  CaseView view;
  view.candidate = make_side(candidate.find({summary.suite, summary.case_id}), summary.metric);
  const ResultRow& row = *view.candidate.row;
  view.suite = row.suite;
  view.id = row.case_id;
  view.metric = summary.metric.empty() ? std::string_view() : std::string_view(row.metric);
  view.unit = row.unit;
  if (std::isfinite(summary.estimate)) view.candidate.estimate = summary.estimate;
  view.candidate.low = summary.low;
  view.candidate.high = summary.high;
  view.label = label_of(summary.status);
  view.status = name_of(summary.status);
  view.reason = summary.reason.empty() ? row.reason : summary.reason;
  if (const auto* known = expectations.met(summary.suite, summary.case_id, summary.status)) {
    view.label = label_of(Verdict::expected);
    view.reason +=
        (view.reason.empty() ? "as " : ", as ") + known->at + " expects: " + known->reason;
  }
  fill_from_rows(view, info);
  return view;
}

/// After all metrics that are only shown are known.
void note_moved(CaseView& view, const ReportModel& model) {
  std::optional<double> moved;
  if (view.metric == kDramBytes) moved = view.candidate.estimate;
  const auto shown = model.shown.find({std::string(view.suite), std::string(view.id)});
  if (shown != model.shown.end())
    for (const ShownMetric& metric : shown->second)
      if (metric.metric == kDramBytes) moved = metric.candidate;
  if (!moved) return;
  view.moved = moved_bytes(view.bytes, *moved, model.input.candidate->info.environment);
  if (view.moved.is_off) view.flags.push_back(kFlagDeclaredBytes);
}

void add_shown(ShownMetric metric, ReportModel& model) {
  const std::pair key{metric.suite, metric.case_id};
  model.shown[key].push_back(std::move(metric));
}

/// Adds a row for each judged metric, and one for each case without any.
void add_alone(const Run& run, const RunIndex& candidate, ReportModel& model) {
  const std::vector<CaseSummary> summaries = summarize(run, kConfidence);
  const Expectations expectations(run.info.expected);
  std::set<std::pair<std::string_view, std::string_view>> judged;
  for (const CaseSummary& summary : summaries)
    if (is_judged(summary.metric)) judged.insert({summary.suite, summary.case_id});
  for (const CaseSummary& summary : summaries) {
    const bool has_row =
        is_judged(summary.metric) || judged.insert({summary.suite, summary.case_id}).second;
    if (has_row)
      model.cases.push_back(view_alone(summary, candidate, run.info, expectations));
    else
      add_shown({summary.suite, summary.case_id, summary.metric, summary.unit, std::nullopt,
                 std::isfinite(summary.estimate) ? std::optional(summary.estimate) : std::nullopt,
                 std::nullopt},
                model);
  }
}

}  // namespace

Label label_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::broken:
      return {"✕", "broken", "broken", 0, true};
    case Verdict::slower:
      return {"▲", "slower", "slower", 1, true};
    case Verdict::faster:
      return {"▼", "faster", "faster", 2};
    case Verdict::looks_slower:
      return {"△", "looks slower", "unresolved", 1, true};
    case Verdict::looks_faster:
      return {"▽", "looks faster", "unresolved", 2};
    case Verdict::unresolved:
      return {"◇", "unresolved", "unresolved", 3};
    case Verdict::not_judged:
      return {"○", "not judged", "unjudged", 4};
    case Verdict::missing:
      return {"−", "missing", "unjudged", 5};
    case Verdict::added:
      return {"+", "new", "unjudged", 6};
    case Verdict::fixed:
      return {"✓", "fixed", "faster", 7};
    case Verdict::same:
      return {"●", "same", "same", 8};
    case Verdict::expected:
      return {"✕", "expected", "unjudged", 10};  // statuses have lower ranks
  }
  return {"○", "not judged", "unjudged", 4};
}

Label label_of(EntryKind excuse) {
  return excuse == EntryKind::acknowledged ? Label{"≈", "acknowledged", "unjudged", 11}
                                           : Label{"◌", "quarantined", "unjudged", 12};
}

Label label_of(Status status) {
  switch (status) {
    case Status::wrong:
      return {"✕", "wrong", "broken", 0, true};
    case Status::crashed:
      return {"✕", "crashed", "broken", 1, true};
    case Status::timeout:
      return {"✕", "timeout", "broken", 2, true};
    case Status::out_of_memory:
      return {"✕", "out of memory", "broken", 3, true};
    case Status::throttled:
      return {"◇", "throttled", "unresolved", 4};
    case Status::interrupted:
      return {"◇", "interrupted", "unresolved", 5};
    case Status::unverified:
      return {"◇", "unverified", "unresolved", 6};
    case Status::unsupported:
      return {"○", "unsupported", "unjudged", 7};
    case Status::excluded:
      return {"○", "excluded", "unjudged", 8};
    case Status::ok:
      return {"●", "measured", "same", 9};
  }
  return {"○", "not judged", "unjudged", 4};
}

ReportModel make_model(const ReportInput& input) {
  if (input.candidate == nullptr) throw Error("a report needs a run; none was given");
  ReportModel model{input, {}, false, false, {}};
  model.baseline_is_reduced = input.baseline && input.baseline->info.acceptance.has_value();
  const RunIndex candidate(input.candidate), baseline(input.baseline);
  if (input.comparison) {
    for (const Finding& finding : input.comparison->findings)
      model.cases.push_back(
          view_of(*input.comparison, finding, baseline, candidate, input.candidate->info));
    for (const ShownMetric& metric : input.comparison->shown) add_shown(metric, model);
  } else {
    add_alone(*input.candidate, candidate, model);
  }
  for (CaseView& view : model.cases) note_moved(view, model);
  for (auto& [name, metrics] : model.shown)
    std::ranges::stable_partition(metrics, [](const ShownMetric& m) { return m.unit == "s"; });
  model.is_calibrated = std::ranges::any_of(
      model.cases, [](const CaseView& view) { return std::isfinite(view.achieved.share()); });
  std::vector<double> pool;
  for (CaseView& view : model.cases) view.spread = spread_of(view.candidate, pool);
  std::stable_sort(
      model.cases.begin(), model.cases.end(),
      [](const CaseView& a, const CaseView& b) { return a.label.rank < b.label.rank; });
  return model;
}

double counted_bytes(const CaseView& view) {
  return view.metric.ends_with("_cold") ? view.moved.moved : kUnknown;
}

Rate rate_of(const CaseView& view) {
  const double flops = view.achieved.flops_per_s, bytes = view.achieved.bytes_per_s;
  if (flops > 0 && !(flops < kIntensity * bytes)) return {flops, "FLOP/s"};
  if (bytes > 0) return {bytes, "B/s"};
  return {};
}

std::string suite_word(const ReportModel& model, const CaseView& view) {
  for (const SuiteRef& ref : model.input.candidate->info.suites)
    if (ref.name == view.suite && !ref.path.empty()) return ref.path;
  return std::string(view.suite);
}

std::string reproduce_command(const ReportModel& model, const CaseView& view) {
  return "plumbline run " + shell_word(suite_word(model, view)) + " --case " + shell_word(view.id);
}

}  // namespace plumbline
