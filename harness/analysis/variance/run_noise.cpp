#include "analysis/variance/run_noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "analysis/variance/moderated_noise.h"
#include "analysis/variance/sensitivity.h"
#include "core/run/metric.h"
#include "core/words.h"
#include "stats/descriptive.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

/// The same text as in measure/flags.h.
constexpr std::string_view kForeignProcess = "foreign process on the GPU";

using Timed = RunScatter::Timed;

/// What a case shows by the best of its times.
struct Shown {
  bool is_blind = true, is_disturbed = false;
  double visit_sd = 0, detectable = std::numeric_limits<double>::infinity(), threshold = 0;
  std::optional<std::size_t> rounds;  // number of rounds that makes the case see enough
};

double threshold_of(const Run& run, const CaseRows& rows, double effect_floor) {
  for (const SuiteRef& suite : run.info.suites)
    if (suite.name == rows.suite)
      if (const auto said = suite.thresholds.find(std::string(rows.case_id));
          said != suite.thresholds.end())
        return said->second;
  return effect_floor;
}

bool is_judged_time(const MetricRows& rows) {
  const Metric* const known = find_metric(rows.metric);
  return rows.unit == "s" && (!known || known->is_judged);
}

/// Adds the times of a case; false where it has none in two visits.
bool add_times(const CaseRows& rows, double threshold, std::size_t of_case,
               std::vector<Timed>& times) {
  const std::size_t before = times.size();
  for (const MetricRows& metric : rows.metrics) {
    if (!is_judged_time(metric)) continue;
    const Estimate found = estimate(metric.rows);
    if (found.logs.size() < 2) continue;
    double blocks = 0;
    for (const VisitValue& visit : found.visits) blocks += double(visit.blocks);
    const auto rounds = double(found.logs.size());
    times.push_back({of_case, std::string(metric.metric), std::string(rows.op), threshold,
                     found.variance, found.block_floor, rounds, blocks / rounds});
  }
  return times.size() > before;
}

/// Parts of the error of a change between two such runs, without that between whole runs.
ErrorParts parts_of(const Timed& time, const Noise& visits) {
  ErrorParts parts;
  const double variance = 2 * visits.variance / time.rounds;
  parts.block = std::min(2 * time.block_floor / time.rounds, variance);
  parts.visit = variance - parts.block;
  parts.visit_df = visits.df + time.rounds - 1;  // the other run has as many
  parts.rounds = time.rounds;
  parts.blocks = time.blocks;
  return parts;
}

void add_time(const Timed& time, const Noise& visits, double confidence, Shown& shown) {
  const ErrorParts parts = parts_of(time, visits);
  const double error = std::sqrt(parts.block + parts.visit);
  const double detectable =
      (student_t_quantile(0.5 + confidence / 2, parts.visit_df) + kPower80) * error;
  const auto spot = blind_spot(parts, detectable, time.threshold, confidence);
  shown.is_blind = shown.is_blind && spot.has_value();
  if (!(detectable < shown.detectable)) return;
  shown.detectable = detectable;
  shown.visit_sd = std::sqrt(visits.variance);
  shown.threshold = time.threshold;
  shown.rounds = spot ? spot->rounds : std::nullopt;
}

/// The least number of rounds with which less than a third of the cases is blind.
std::optional<std::size_t> rounds_enough(const std::vector<Shown>& cases) {
  std::vector<std::size_t> needed;
  std::size_t incurable = 0;
  for (const Shown& shown : cases) {
    if (!shown.is_blind) continue;
    if (shown.rounds)
      needed.push_back(*shown.rounds);
    else
      ++incurable;
  }
  std::ranges::sort(needed);
  for (std::size_t cured = 1; cured <= needed.size(); ++cured)
    if (3 * (incurable + needed.size() - cured) < cases.size()) return needed[cured - 1];
  return std::nullopt;
}

std::size_t usual_rounds(const std::vector<Timed>& times) {
  std::vector<double> rounds;
  for (const Timed& time : times) rounds.push_back(time.rounds);
  return rounds.empty() ? 0 : std::size_t(median(rounds));
}

RunNoise summed_up(const std::vector<Shown>& cases) {
  RunNoise noise;
  noise.cases = cases.size();
  std::vector<double> sds, detectables, thresholds;
  for (const Shown& shown : cases) {
    if (!shown.is_blind) continue;
    ++noise.blind;
    noise.disturbed += shown.is_disturbed;
    sds.push_back(shown.visit_sd);
    detectables.push_back(std::expm1(shown.detectable));
    thresholds.push_back(shown.threshold);
  }
  if (noise.blind == 0) return noise;
  noise.visit_sd = median(sds);
  noise.detectable = median(detectables);
  noise.threshold = median(thresholds);
  noise.enough = rounds_enough(cases);
  return noise;
}

std::string percent(double fraction) {
  return fraction < 0.1 ? fmt::format("{:.2g} %", 100 * fraction)
                        : percent_digits(100 * fraction, 0) + " %";
}

}  // namespace

void RunScatter::add(const Run& run) {
  for (const CaseRows& rows : rows_by_case(run)) {
    const double threshold = threshold_of(run, rows, effect_floor_);
    if (!add_times(rows, threshold, disturbed_.size(), times_)) continue;
    std::vector<std::string> flags;
    add_flags(rows.rows, flags);
    disturbed_.push_back(std::ranges::find(flags, kForeignProcess) != flags.end());
  }
}

RunNoise RunScatter::noise(double confidence) const {
  std::vector<Shown> cases(disturbed_.size());
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].is_disturbed = disturbed_[i];
  std::vector<OwnNoise> own;
  for (const Timed& time : times_)
    own.push_back({time.metric, time.op, time.variance, time.rounds - 1, time.block_floor});
  const std::vector<Noise> visits = moderated_noise(own);
  for (std::size_t i = 0; i < times_.size(); ++i)
    add_time(times_[i], visits[i], confidence, cases[times_[i].of_case]);
  RunNoise noise = summed_up(cases);
  noise.rounds = usual_rounds(times_);
  return noise;
}

RunNoise run_noise(const Run& run, double effect_floor, double confidence) {
  RunScatter scatter(effect_floor);
  scatter.add(run);
  return scatter.noise(confidence);
}

std::string run_noise_text(const RunNoise& noise) {
  if (!noise.is_poor()) return "";
  const std::string more =
      noise.enough ? fmt::format("measure {} rounds instead of {}", *noise.enough, noise.rounds)
                   : "compare in pairs (plumbline ab): no usual number of rounds is enough";
  const std::string others =
      noise.disturbed == 0
          ? ""
          : fmt::format(" In {} of them another process was on the GPU.", noise.disturbed);
  return fmt::format(
      "{} of {} {} too noisy: {} by {} or more, so that a comparison would show "
      "changes from about {} on, not from {}.{} Stop what else runs on this "
      "machine (top and nvidia-smi name it) and run again, or {}.",
      noise.blind, counted(noise.cases, "case"), noise.blind == 1 ? "is" : "are",
      noise.blind == 1 ? "its rounds scatter" : "the rounds of half of them scatter",
      percent(noise.visit_sd), percent(noise.detectable), percent(noise.threshold), others, more);
}

}  // namespace plumbline
