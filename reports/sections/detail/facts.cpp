#include "reports/sections/detail/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "reports/units.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

/// Lowest and highest of the finite values added.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool is_known() const { return low <= high; }
};

std::string extent_text(const Extent& extent, std::string_view unit) {
  if (!extent.is_known()) return "";
  const std::string low = quantity_text(extent.low, unit), high = quantity_text(extent.high, unit);
  return low == high ? high : low + " to " + high;
}

std::string work_text(const CaseView& view) {
  std::string text;
  if (view.flops > 0) {
    text = quantity_text(view.flops, "FLOP/s");
    text.erase(text.size() - 2);
  }
  if (view.bytes > 0)
    text += (text.empty() ? "" : ", ") + quantity_text(view.bytes, "B") + " moved at least";
  return text;
}

/// `512 TFLOP/s, 64 % of the calibrated peak`, or "".
std::string rate_text(double per_second, std::string_view unit, double share) {
  if (!std::isfinite(per_second)) return "";
  std::string text = quantity_text(per_second, unit);
  if (std::isfinite(share)) text += ", " + share_text(share) + " of the calibrated peak";
  return text;
}

/// As rate_text(), of the bytes that the GPU counted between DRAM and L2.
std::string counted_rate_text(const CaseView& view) {
  const double bytes = counted_bytes(view);
  if (!std::isfinite(bytes) || !view.candidate.estimate || view.unit != "s") return "";
  const double rate = bytes / *view.candidate.estimate;
  const Achieved& achieved = view.achieved;
  return rate_text(rate, "B/s", rate * achieved.bytes_share / achieved.bytes_per_s);
}

/// `baseline round 1: 3 of 16 blocks set aside (thermal); …`
std::string set_aside_of(const CaseView& view) {
  std::string text;
  for (const auto& [side, name] : {std::pair(&view.baseline, "baseline "),
                                   std::pair(&view.candidate, view.finding ? "candidate " : "")})
    for (const ResultRow* row : side->visits)
      if (const std::string said = set_aside_text(*row); !said.empty())
        text += fmt::format("{}{}round {}: {}", text.empty() ? "" : "; ", name, row->round, said);
  return text;
}

/// Medians over visits of other timers on the candidate's launches, relative to the judged time.
std::string timers_text(const CaseView& view) {
  std::map<std::string_view, std::pair<std::vector<double>, std::vector<double>>> timers;
  for (const ResultRow* row : view.candidate.visits) {
    if (row->timers_s.empty() || row->samples.empty()) continue;
    const double own = median(row->samples.values());
    if (own == 0) continue;  // no share of 0 exists
    for (const auto& [name, seconds] : row->timers_s) {
      timers[name].first.push_back(seconds);
      timers[name].second.push_back(seconds / own - 1);
    }
  }
  std::string text;
  for (const auto& [name, values] : timers) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                        quantity_text(median(values.first), view.unit));
    if (!name.ends_with("_uncertainty"))
      text += " (" + change_text(median(values.second), {}, {}).whole() + ")";
  }
  return text;
}

std::string absent_text(const std::map<std::string_view, std::string>& absent) {
  std::string text;
  for (const auto& [metric, reason] : absent)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", metric, reason);
  return text;
}

std::string error_text(const ResultRow& row) {
  if (!std::isfinite(row.error_rel_l2)) return "";
  std::string text = fmt::format("{:.2g}", row.error_rel_l2);
  if (std::isfinite(row.tolerance)) text += fmt::format(" of {:.2g} allowed", row.tolerance);
  return text;
}

std::string largest_error_text(const ResultRow& row) {
  if (!std::isfinite(row.error_max_abs)) return "";
  std::string text = fmt::format("{:.2g}", row.error_max_abs);
  if (std::isfinite(row.error_max_ulp))
    text += fmt::format("; {:.2g} units in the last place", row.error_max_ulp);
  return text;
}

/// Repeated launches are tried in a case's first visit.
std::string repeats_text(const SideView& side) {
  for (const ResultRow* row : side.visits) {
    if (row->repeats == kRepeatsBitwise) return "the same each time";
    if (row->repeats == kRepeatsVaries) return "vary from launch to launch";
  }
  return "";
}

std::string flags_text(const CaseView& view) {
  std::string text;
  for (const std::string_view flag : view.flags)
    text += (text.empty() ? "" : ", ") + std::string(flag);
  return text;
}

void add_judgement(const Finding& finding, const auto& add) {
  add("renamed from", finding.renamed_from);
  add("baseline status", finding.baseline_status == "OK" ? "" : finding.baseline_status);
  if (finding.raw_change && finding.change && *finding.raw_change != *finding.change)
    add("change before the shift that all cases share is removed",
        change_text(finding.raw_change, {}, {}).whole());
  if (moved_since_run(finding))
    add("in the run before the pairs", quantity_text(*finding.candidate, finding.unit));
  if (finding.detectable)
    add("smallest change that would be seen", share_text(*finding.detectable));
  if (finding.threshold > 0) add("counts from", share_text(finding.threshold));
  if (finding.adjusted_p)
    add("adjusted p",
        *finding.adjusted_p < 1e-12 ? "< 1e-12" : fmt::format("{:.2g}", *finding.adjusted_p));
}

void add_conditions(const CaseView& view, const auto& add) {
  Extent temperature, power, clock;
  std::set<std::string_view> throttles;
  for (const ResultRow* row : view.candidate.visits) {
    temperature.add(row->temperature_c);
    power.add(row->power_w);
    for (const double hz : row->block_clocks_hz) clock.add(hz);
    if (!row->throttle.empty()) throttles.insert(row->throttle);
  }
  add("SM clock", extent_text(clock, "Hz"));
  add("temperature", extent_text(temperature, "°C"));
  add("power", extent_text(power, "W"));
  std::string throttle;
  for (const std::string_view reason : throttles)
    throttle += (throttle.empty() ? "" : ", ") + std::string(reason);
  add("throttle reasons", throttle);
}

}  // namespace

std::vector<Fact> facts_of(const CaseView& view) {
  std::vector<Fact> facts;
  const auto add = [&](std::string_view label, std::string text) {
    if (!text.empty()) facts.push_back({label, std::move(text)});
  };
  add("status", view.status == "OK" ? "" : std::string(view.status));
  add("why", view.reason);
  add("flags", flags_text(view));
  add("not measured", absent_text(view.candidate.absent));
  add("not measured in the baseline", absent_text(view.baseline.absent));
  add("set aside, not in the picture", set_aside_of(view));
  add("other timers of these launches", timers_text(view));
  if (view.finding) add_judgement(*view.finding, add);
  const ResultRow* row = view.candidate.row ? view.candidate.row : view.baseline.row;
  if (row == nullptr) return facts;
  add("relative L2 error", error_text(*row));
  add("largest error", largest_error_text(*row));
  add("bits of repeated launches", repeats_text(view.candidate));
  add("work of a launch", work_text(view));
  add("bytes by the GPU's counters", view.moved.text);
  const Achieved& achieved = view.achieved;
  add("FLOP rate", rate_text(achieved.flops_per_s, "FLOP/s", achieved.flops_share));
  add("bandwidth", rate_text(achieved.bytes_per_s, "B/s", achieved.bytes_share));
  add("bandwidth of DRAM by the GPU's counters", counted_rate_text(view));
  if (row->batch > 1) add("launches a sample", fmt::format("{}", row->batch));
  if (std::isfinite(row->floor_s))
    add("subtracted from each reading", quantity_text(row->floor_s, "s"));
  add_conditions(view, add);
  add("revision of the problem", row->revision);
  return facts;
}

}  // namespace plumbline
