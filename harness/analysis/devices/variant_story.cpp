#include "analysis/devices/variant_story.h"

#include <algorithm>
#include <map>

#include "analysis/compare/compare.h"
#include "analysis/estimate/phases.h"
#include "stats/descriptive.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

constexpr std::string_view kAccuracy = "accuracy";

const MetricRows* rows_of(const CaseRows* found, std::string_view metric) {
  if (!found || is_failure(found->status)) return nullptr;
  const auto place = std::ranges::find(found->metrics, metric, &MetricRows::metric);
  return place == found->metrics.end() ? nullptr : &*place;
}

/// By seed. A round that was measured again counts once.
std::map<std::int64_t, double> by_seed(const CaseRows* found) {
  std::map<std::int64_t, double> values;
  if (const MetricRows* const rows = rows_of(found, kAccuracy))
    for (const ResultRow* const row : rows->rows) values[row->round] = visit_value(*row).mean;
  return values;
}

std::vector<double> values_in(const std::map<std::int64_t, double>& seeds) {
  std::vector<double> values;
  for (const auto& [seed, value] : seeds) values.push_back(value);
  return values;
}

VariantAccuracy accuracy_of(const CaseRows* found, const CaseRows* reference) {
  VariantAccuracy accuracy;
  const std::map<std::int64_t, double> own = by_seed(found), others = by_seed(reference);
  if (own.empty() && found)
    if (const auto why = found->absent.find(kAccuracy); why != found->absent.end())
      accuracy.reason = why->second;
  const std::vector<double> values = values_in(own);
  accuracy.seeds = values.size();
  if (!values.empty()) accuracy.mean = mean(values);
  if (values.size() > 1) accuracy.spread = standard_deviation(values);
  if (found == reference) return accuracy;
  std::vector<double> differences;
  for (const auto& [seed, value] : own)
    if (const auto other = others.find(seed); other != others.end())
      differences.push_back(value - other->second);
  accuracy.pairs = differences.size();
  if (differences.size() < 2) return accuracy;
  const PairedLoss loss = paired_loss(differences, kLossConfidence);
  accuracy.difference = loss.interval;
  accuracy.is_loss = loss.p < kLossLevel;
  if (const double sd = standard_deviation(differences); sd > 0)
    accuracy.visible = smallest_visible_loss(sd, differences.size(), kLossLevel, kLossPower);
  return accuracy;
}

/// The first judged time of the reference, or of another column.
std::string time_of(std::span<const CaseRows* const> variants, std::size_t reference) {
  const auto first = [](const CaseRows* found) -> std::string {
    if (!found) return "";
    for (const MetricRows& rows : found->metrics)
      if (rows.unit == "s" && is_judged(rows.metric)) return std::string(rows.metric);
    return "";
  };
  std::string time = first(variants[reference]);
  for (const CaseRows* const found : variants)
    if (time.empty()) time = first(found);
  return time;
}

/// The 99th percentile of single launches; nothing for fewer than kSamplesOfP99, and for batches,
/// whose means hide slow launches.
std::optional<double> p99_of(const MetricRows* rows) {
  if (!rows) return std::nullopt;
  std::vector<double> samples;
  for (const ResultRow* const row : rows->rows) {
    if (row->batch != 1 || row->reduced) return std::nullopt;
    for (std::size_t i = 0; i < row->samples.blocks(); ++i)
      if (counts(*row, i))
        samples.insert(samples.end(), row->samples.block(i).begin(), row->samples.block(i).end());
  }
  if (samples.size() < kSamplesOfP99) return std::nullopt;
  return quantile(samples, 0.99);
}

std::vector<StepShare> phases_of(const CaseRows* found) {
  std::vector<StepShare> phases;
  for (const std::string_view phase : kPhases)
    if (const MetricRows* const rows = rows_of(found, std::string(phase) + "_time"))
      phases.emplace_back(phase, estimate(rows->rows).value);
  return phases;
}

}  // namespace

bool CaseStory::has_accuracy() const {
  return std::ranges::any_of(variants, [](const VariantStory& one) {
    return one.accuracy.mean.has_value() || !one.accuracy.reason.empty();
  });
}

bool CaseStory::has_phases() const {
  return std::ranges::any_of(variants, [](const VariantStory& one) { return !one.phases.empty(); });
}

CaseStory story_of(std::span<const CaseRows* const> variants, std::size_t reference) {
  CaseStory story;
  story.time = time_of(variants, reference);
  for (const CaseRows* const found : variants)
    story.variants.push_back({found != nullptr, p99_of(rows_of(found, story.time)),
                              accuracy_of(found, variants[reference]), phases_of(found)});
  return story;
}

}  // namespace plumbline
