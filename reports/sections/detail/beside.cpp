#include "reports/sections/detail/beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/units.h"
#include "store/recorded/kernels.h"

namespace plumbline {
namespace {

const std::string kNone = "–";
constexpr std::size_t kShownHash = 8;

std::string count_text(double count) { return number_text(count, 0); }

std::string extent_text(const std::array<std::int64_t, 3>& extent) {
  if (extent[0] == 0) return kNone;
  return fmt::format("{}×{}×{}", extent[0], extent[1], extent[2]);
}

/// Of a thread: "40", or "40 + 24 B" with local memory.
std::string registers_text(const KernelRecord& kernel) {
  const std::string text = count_text(kernel.registers);
  return kernel.local_bytes > 0 ? text + " + " + count_text(kernel.local_bytes) + " B" : text;
}

/// Static and dynamic bytes of a block.
std::string shared_text(const KernelRecord& kernel) {
  if (std::isnan(kernel.shared_static) && std::isnan(kernel.shared_dynamic)) return kNone;
  return count_text(kernel.shared_static) + " + " + count_text(kernel.shared_dynamic);
}

std::string share_or_dash(double share) { return std::isfinite(share) ? share_text(share) : kNone; }

/// A kernel's name; for copies also the size.
std::string name_text(const KernelRecord& kernel) {
  return kernel.bytes > 0 ? kernel.name + ", " + quantity_text(kernel.bytes, "B") : kernel.name;
}

KernelLine line_of(const KernelRecord& kernel) {
  return {"",
          name_text(kernel),
          extent_text(kernel.grid),
          extent_text(kernel.block),
          registers_text(kernel),
          shared_text(kernel),
          share_or_dash(kernel.occupancy),
          count_text(kernel.calls),
          quantity_text(kernel.time_s, "s"),
          kernel.code.substr(0, kShownHash)};
}

bool is_unknown(std::string_view text) { return text.empty() || text == kNone; }

/// Texts that differ become `before → after`; the time always differs, so it is not marked.
KernelLine compared(KernelRecord before, KernelRecord after) {
  if (std::isnan(before.local_bytes) || std::isnan(after.local_bytes))
    before.local_bytes = after.local_bytes = kUnknown;
  const KernelLine old_line = line_of(before);
  KernelLine line = line_of(after);
  for (std::string KernelLine::*member :
       {&KernelLine::name, &KernelLine::grid, &KernelLine::block, &KernelLine::registers,
        &KernelLine::code, &KernelLine::shared, &KernelLine::occupancy, &KernelLine::calls}) {
    if (old_line.*member == line.*member) continue;
    if (is_unknown(old_line.*member) || is_unknown(line.*member)) continue;
    line.*member = old_line.*member + " → " + line.*member;
    line.mark = "≠ changed";
  }
  if (old_line.time != line.time) {
    const QuantityPair times = quantity_pair(before.time_s, after.time_s, "s", std::nullopt);
    line.time = times.before + " → " + times.after + "\u00A0" + times.unit;
  }
  return line;
}

}  // namespace

std::vector<ShownLine> shown_lines(const std::vector<ShownMetric>& metrics) {
  std::vector<ShownLine> lines;
  for (const ShownMetric& metric : metrics) {
    const QuantityPair values =
        quantity_pair(metric.baseline, metric.candidate, metric.unit, std::nullopt);
    lines.push_back({metric.metric, values.before, values.after, values.unit,
                     metric.change ? change_text(metric.change, {}, {}).whole() : ""});
  }
  return lines;
}

std::vector<KernelLine> kernel_lines(std::string_view baseline, std::string_view candidate) {
  std::vector<KernelRecord> before = kernels_of(baseline);
  const std::vector<KernelRecord> after = kernels_of(candidate);
  std::vector<KernelLine> lines;
  const bool is_compared = !before.empty() && !after.empty();
  for (const KernelRecord& kernel : after) {
    const auto partner = std::ranges::find(before, kernel.name, &KernelRecord::name);
    if (partner == before.end()) {
      lines.push_back(line_of(kernel));
      if (is_compared) lines.back().mark = "+ new";
      continue;
    }
    lines.push_back(compared(*partner, kernel));
    before.erase(partner);
  }
  for (const KernelRecord& kernel : before) {
    lines.push_back(line_of(kernel));
    if (is_compared) lines.back().mark = "− gone";
  }
  return lines;
}

}  // namespace plumbline
