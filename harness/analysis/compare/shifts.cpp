#include "analysis/compare/shifts.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "stats/descriptive.h"
#include "stats/order_interval.h"
#include "stats/quadrature.h"

namespace plumbline {
namespace {

/// With fewer cases, a common movement looks like a few cases that moved.
constexpr std::size_t kShiftFrom = 12;
/// This share of a part's cases, from this many implementations, must have moved alike.
constexpr double kNearlyAll = 0.8;
constexpr std::size_t kLeastImplementations = 2;
/// The smallest reported shift of the host's times: as a CPU's, see default_rule().
constexpr double kHostFloor = 0.10;
/// Parts moved apart if they differ by this share of the smallest reported shift.
constexpr double kApart = 0.5;
/// Standard error of a median over that of a mean, for normal data: √(π/2).
constexpr double kMedianError = 1.2533141373155003;

/// The change of a case's times: the median over its metrics, which move together.
struct CaseChange {
  const Finding* of = nullptr;
  double change = 0;
};

/// For contrasts in times that belong. The metrics of a case are adjacent.
std::vector<CaseChange> case_changes(const std::vector<Contrast>& contrasts,
                                     const std::vector<Finding>& findings, const auto& belongs) {
  std::vector<CaseChange> cases;
  std::vector<double> metrics;  // of the last case
  const auto begin_case = [&](const Finding* finding) {
    if (!metrics.empty()) cases.back().change = median(metrics);
    metrics.clear();
    if (finding) cases.push_back({finding});
  };
  for (const Contrast& contrast : contrasts) {
    const Finding& finding = findings[contrast.finding];
    if (finding.unit != "s" || !belongs(contrast)) continue;
    if (cases.empty() || cases.back().of->case_id != finding.case_id ||
        cases.back().of->suite != finding.suite)
      begin_case(&finding);
    metrics.push_back(contrast.change);
  }
  begin_case(nullptr);
  return cases;
}

/// The common change of some cases.
struct Center {
  double value = 0, sd = 0;
  std::vector<double> near;  // the changes that moved alike
  std::size_t cases = 0, implementations = 0;

  double error() const { return kMedianError * sd / std::sqrt(double(near.size())); }
  bool stands_out(double floor) const { return std::abs(value) > std::max(floor, 3 * error()); }
  bool is_near(double change) const {
    constexpr double kRounding = 1e-9;  // numerical error of equal changes
    return std::abs(change - value) <= 3 * sd + kRounding;
  }
};

std::size_t implementations_near(const Center& center, const std::vector<CaseChange>& cases) {
  std::set<std::pair<std::string_view, std::string_view>> found;
  for (const CaseChange& known : cases) {
    if (found.size() == kLeastImplementations) break;  // more are not needed
    if (center.is_near(known.change)) found.emplace(known.of->op, known.of->backend);
  }
  return found.size();
}

/// `cases` must not be empty.
Center rough_center(const std::vector<CaseChange>& cases) {
  Center center;
  center.cases = cases.size();
  for (const CaseChange& known : cases) center.near.push_back(known.change);
  for (int pass = 0; pass < 4; ++pass) {
    center.value = median(center.near);
    center.sd = kSdPerMad * median_absolute_deviation(center.near);
    center.near.clear();
    for (const CaseChange& known : cases)
      if (center.is_near(known.change)) center.near.push_back(known.change);
  }
  center.implementations = implementations_near(center, cases);
  return center;
}

/// Nothing if there are too few cases.
std::optional<Center> center_of(const std::vector<CaseChange>& cases) {
  if (cases.size() < kShiftFrom) return std::nullopt;
  return rough_center(cases);
}

bool are_apart(const Center& a, const Center& b, double floor) {
  return std::abs(a.value - b.value) >
         std::max(kApart * floor, 3 * in_quadrature(a.error(), b.error()));
}

bool is_believed(const Center& center) {
  return center.implementations >= kLeastImplementations &&
         double(center.near.size()) >= kNearlyAll * double(center.cases);
}

using Members = std::array<std::vector<CaseChange>, kRunPartNames.size()>;
using Groups = std::array<std::optional<Center>, kRunPartNames.size()>;
constexpr std::array kParts{RunPart::compute, RunPart::memory};

const std::optional<Center>& in(const Groups& groups, RunPart part) {
  return groups[std::size_t(part)];
}

bool is_one_movement(const Groups& groups, double floor) {
  for (std::size_t i = 0; i < kGpuRunParts; ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (groups[i] && groups[k] && are_apart(*groups[i], *groups[k], floor)) return false;
  return true;
}

/// For parts that moved apart: whether the other cases' movement is the whole run's. It is if a
/// part moved with them, or if everything moved in one direction.
bool is_of_whole_run(const Groups& groups, double floor) {
  const std::optional<Center>& others = in(groups, RunPart::whole);
  if (!others || !others->stands_out(floor)) return false;
  bool is_shared = false, is_one_direction = true;
  for (const RunPart part : kParts) {
    const std::optional<Center>& center = in(groups, part);
    if (!center) continue;
    is_shared = is_shared || !are_apart(*center, *others, floor);
    is_one_direction =
        is_one_direction && center->stands_out(floor) && (center->value > 0) == (others->value > 0);
  }
  return is_shared || is_one_direction;
}

Shift shift_of(const Center& center) { return {center.value, center.error()}; }

RunShift told(RunPart part, const Center& center, const DecisionRule& rule) {
  const Interval interval = quantile_interval(center.near, 0.5, rule.confidence).interval;
  return {std::expm1(center.value),
          std::expm1(interval.low),
          std::expm1(interval.high),
          center.near.size(),
          part,
          center.cases};
}

/// True if these cases, even if few, moved differently from the whole run.
bool stayed_behind(const std::vector<CaseChange>& cases, const Center& whole, double floor) {
  if (cases.empty()) return false;
  Center own = rough_center(cases);
  own.sd = std::max(own.sd, whole.sd);  // few cases do not show their own scatter
  return are_apart(own, whole, floor);
}

/// Sets the shift for the cases of the parts that moved along.
void tell_whole(const Center& center, const Members& members, const DecisionRule& rule,
                Shifts& shifts) {
  shifts.told.whole = told(RunPart::whole, center, rule);
  for (std::size_t i = 0; i < kGpuRunParts; ++i)
    if (!stayed_behind(members[i], center, rule.shift_floor)) shifts.of_part[i] = shift_of(center);
}

/// For parts that moved differently from the whole run, which may not have moved at all.
void tell_parts(const Groups& groups, const DecisionRule& rule, Shifts& shifts) {
  const bool has_whole = shifts.told.whole.has_value();
  for (const RunPart part : kParts) {
    const std::optional<Center>& center = in(groups, part);
    if (!center || !is_believed(*center)) continue;
    const bool stands_out = center->stands_out(rule.shift_floor);
    if (!stands_out) shifts.untold[std::size_t(part)] = shift_of(*center);
    if (has_whole ? !are_apart(*center, *in(groups, RunPart::whole), rule.shift_floor)
                  : !stands_out)
      continue;
    shifts.told.parts.push_back(told(part, *center, rule));
    shifts.of_part[std::size_t(part)] = shift_of(*center);
  }
}

/// For all cases if they moved together.
void tell_one_movement(const std::vector<CaseChange>& all, const Members& members,
                       const DecisionRule& rule, Shifts& shifts) {
  const std::optional<Center> center = center_of(all);
  if (!center) return;
  if (center->stands_out(rule.shift_floor)) return tell_whole(*center, members, rule, shifts);
  std::fill_n(shifts.untold.begin(), kGpuRunParts, shift_of(*center));
  if (center->stands_out(0)) shifts.told.untold = std::expm1(center->value);
}

void tell_host(const std::optional<Center>& center, const DecisionRule& rule, Shifts& shifts) {
  constexpr auto kHost = std::size_t(RunPart::host);
  if (!center || !is_believed(*center)) return;
  if (!center->stands_out(std::max(rule.shift_floor, kHostFloor))) {
    shifts.untold[kHost] = shift_of(*center);
    return;
  }
  shifts.told.parts.push_back(told(RunPart::host, *center, rule));
  shifts.of_part[kHost] = shift_of(*center);
}

}  // namespace

Shifts find_shifts(const std::vector<Contrast>& contrasts, const DecisionRule& rule,
                   const std::vector<Finding>& findings) {
  Members members;
  Groups groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    members[i] = case_changes(contrasts, findings, [i](const Contrast& contrast) {
      return std::size_t(contrast.part) == i;
    });
    groups[i] = center_of(members[i]);
  }
  Shifts shifts;
  tell_host(groups[std::size_t(RunPart::host)], rule, shifts);
  if (is_one_movement(groups, rule.shift_floor)) {
    const auto all = case_changes(contrasts, findings, [](const Contrast& contrast) {
      return contrast.part != RunPart::host;
    });
    tell_one_movement(all, members, rule, shifts);
    return shifts;
  }
  if (is_of_whole_run(groups, rule.shift_floor))
    tell_whole(*in(groups, RunPart::whole), members, rule, shifts);
  tell_parts(groups, rule, shifts);
  return shifts;
}

}  // namespace plumbline
