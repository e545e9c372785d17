#include "analysis/estimate/moved_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/estimate/estimate.h"
#include "core/run/metric.h"
#include "core/words.h"

namespace plumbline {
namespace {

constexpr double kOff = 0.1;     // of the declared bytes
constexpr double kBeyondL2 = 2;  // launches that need less than so many times L2 are not judged
constexpr std::size_t kNamedMost = 3;

std::string megabytes(double bytes) { return fmt::format("{:.4g} MB", bytes * 1e-6); }

std::string change(double fraction) {
  return fmt::format("{}{} %", fraction < 0 ? "−" : "+",
                     percent_digits(100 * std::abs(fraction), 0));
}

}  // namespace

MovedBytes moved_bytes(double declared, double moved, const Environment& environment) {
  if (!(declared > 0) || !std::isfinite(moved)) return {};
  MovedBytes found{declared, moved, false, {}};
  const std::string both =
      fmt::format("declared bytes are {}, the GPU moved {} ({})", megabytes(declared),
                  megabytes(moved), change(moved / declared - 1));
  const auto l2 = double(environment.device_l2_bytes.value_or(0));
  if (!(l2 > 0)) {
    found.text = both + ": not judged, the size of L2 is not known";
  } else if (std::max(declared, moved) < kBeyondL2 * l2) {
    found.text = fmt::format("{}: not judged, L2 holds {} of them", both, megabytes(l2));
  } else if (moved > (1 + kOff) * declared) {
    found.is_off = true;
    found.text = both + ": the suite's cost is wrong, unless the implementation moves data twice";
  } else if (moved + l2 < (1 - kOff) * declared) {
    found.is_off = true;
    found.text = both + ": the suite's cost is wrong";
  } else {
    found.text = both + ": they fit, up to what L2 keeps of written data";
  }
  return found;
}

void CostsOff::add(const Run& run) {
  if (std::ranges::none_of(run.rows, [](const ResultRow& row) { return row.metric == kDramBytes; }))
    return;
  for (const CaseRows& found : rows_by_case(run))
    for (const MetricRows& metric : found.metrics) {
      if (metric.metric != kDramBytes) continue;
      const MovedBytes bytes = moved_bytes(metric.rows.front()->bytes, estimate(metric.rows).value,
                                           run.info.environment);
      if (!bytes.is_off || off_++ >= kNamedMost) continue;
      named_ += fmt::format("{}{}: {}", named_.empty() ? "" : "; ", found.case_id, bytes.text);
    }
}

std::string CostsOff::sentence() const {
  if (off_ == 0) return "";
  return fmt::format(
      "{} {} other bytes than {} moved: {}{}. Rates and shares of the peak rest on the declared "
      "bytes (`cost: bytes`).",
      counted(off_, "case"), off_ == 1 ? "declares" : "declare",
      off_ == 1 ? "its launch" : "their launches", named_, off_ > kNamedMost ? "; …" : "");
}

std::string costs_that_are_off(const Run& run) {
  CostsOff costs;
  costs.add(run);
  return costs.sentence();
}

void note_costs_that_are_off(const Run& candidate, Comparison& comparison) {
  if (std::string sentence = costs_that_are_off(candidate); !sentence.empty())
    comparison.notes.push_back(std::move(sentence));
}

}  // namespace plumbline
