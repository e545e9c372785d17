#include "reports/sections/detail/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "reports/units.h"

namespace plumbline {
namespace {

/// Lowest and highest of the finite values that `each` hands out.
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

std::string rates_text(const CaseView& view) {
  if (view.unit != "s" || !view.candidate.estimate || !(*view.candidate.estimate > 0)) return "";
  std::string text;
  if (view.flops > 0) text = quantity_text(view.flops / *view.candidate.estimate, "FLOP/s");
  if (view.bytes > 0)
    text +=
        (text.empty() ? "" : ", ") + quantity_text(view.bytes / *view.candidate.estimate, "B/s");
  return text;
}

std::string error_text(const ResultRow& row) {
  if (!std::isfinite(row.error_rel_l2)) return "";
  std::string text = fmt::format("{:.2g}", row.error_rel_l2);
  if (std::isfinite(row.tolerance)) text += fmt::format(" of {:.2g} allowed", row.tolerance);
  return text;
}

std::string flags_text(const CaseView& view) {
  std::string text;
  for (const std::string_view flag : view.flags)
    text += (text.empty() ? "" : ", ") + std::string(flag);
  return text;
}

void add_judgement(const Finding& finding, const auto& add) {
  add("baseline status", finding.baseline_status == "OK" ? "" : finding.baseline_status);
  if (finding.raw_change && finding.change && *finding.raw_change != *finding.change)
    add("change before the run-wide shift is removed",
        change_text(finding.raw_change, {}, {}).whole());
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
  if (view.finding) add_judgement(*view.finding, add);
  const ResultRow* row = view.candidate.row ? view.candidate.row : view.baseline.row;
  if (row == nullptr) return facts;
  add("relative L2 error", error_text(*row));
  if (std::isfinite(row->error_max_abs))
    add("largest error", fmt::format("{:.2g}", row->error_max_abs));
  add("work of a launch", work_text(view));
  add("rate", rates_text(view));
  if (row->batch > 1) add("launches a sample", fmt::format("{}", row->batch));
  if (std::isfinite(row->floor_s))
    add("subtracted from each reading", quantity_text(row->floor_s, "s"));
  add_conditions(view, add);
  add("kernels", row->kernels);
  add("revision of the problem", row->revision);
  return facts;
}

}  // namespace plumbline
