#include "reports/strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "reports/units.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr double kWidth = 1000, kHeight = 100;  // of the view box, stretched to the card
constexpr std::size_t kMostDots = 1000;         // a side; beyond, a dot is a block's median

struct Block {
  std::vector<double> values;  // finite ones
  double median = 0;
};

struct Side {
  std::vector<Block> blocks;
  std::size_t samples = 0;
};

Side read_side(const SideView& view) {
  Side side;
  for (const ResultRow* row : view.visits) {
    for (std::size_t i = 0; i < row->samples.blocks(); ++i) {
      if (!counts(*row, i)) continue;
      Block block;
      std::ranges::copy_if(row->samples.block(i), std::back_inserter(block.values),
                           [](double value) { return std::isfinite(value); });
      if (block.values.empty()) continue;
      block.median = median(block.values);
      side.samples += block.values.size();
      side.blocks.push_back(std::move(block));
    }
  }
  if (side.samples > kMostDots)
    for (Block& block : side.blocks) block.values = {block.median};
  return side;
}

/// The range that holds nearly all values, and room around it: one stray sample must not flatten
/// the picture.
struct Range {
  double low = 0, high = 1;
  std::size_t outside = 0;
  double y(double value) const {
    return kHeight * (1 - (std::clamp(value, low, high) - low) / (high - low));
  }
};

Range range_of(const Side& a, const Side& b) {
  std::vector<double> all;
  for (const Side* side : {&a, &b})
    for (const Block& block : side->blocks)
      all.insert(all.end(), block.values.begin(), block.values.end());
  Range range{quantile(all, 0.025), quantile(all, 0.975)};
  const double room = std::max(0.25 * (range.high - range.low), 1e-4 * std::abs(range.high));
  range.low -= room;
  range.high += room;
  if (!(range.high > range.low)) range.high = range.low + 1;
  range.outside = std::size_t(std::ranges::count_if(
      all, [&](double value) { return value < range.low || value > range.high; }));
  return range;
}

void draw_side(const Side& side, double from, double to, std::string_view tone, const Range& range,
               std::optional<double> estimate, std::string& svg) {
  if (side.blocks.empty()) return;
  const double step = (to - from) / double(side.blocks.size());
  std::string bands, dots;
  for (std::size_t i = 0; i < side.blocks.size(); ++i) {
    const double left = from + step * double(i);
    if (i % 2 == 1)
      fmt::format_to(std::back_inserter(bands), "M{:.1f} 0h{:.1f}v{}h-{:.1f}z", left, step, kHeight,
                     step);
    const auto& values = side.blocks[i].values;
    for (std::size_t k = 0; k < values.size(); ++k)
      fmt::format_to(std::back_inserter(dots), "M{:.1f} {:.1f}h0",
                     left + step * (double(k) + 0.5) / double(values.size()), range.y(values[k]));
  }
  svg += fmt::format("<path class=\"band\" d=\"{}\"/><path class=\"dots {}\" d=\"{}\"/>", bands,
                     tone, dots);
  if (estimate)
    svg += fmt::format("<path class=\"level {}\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", tone, from,
                       range.y(*estimate), to);
}

/// Counted against the middle block of the baseline: of two sides that are alike half lie on either
/// side of it, as they do not of an estimate, which is a mean.
std::string title_of(const CaseView& view, const Side& baseline, const Side& candidate) {
  if (baseline.blocks.empty())
    return candidate.blocks.empty() ? "No samples"
           : view.finding           ? "The candidate’s samples"
                                    : "Its samples";
  if (candidate.blocks.empty()) return "The baseline’s samples; the candidate has none";
  std::vector<double> medians;
  for (const Block& block : baseline.blocks) medians.push_back(block.median);
  const double middle = median(medians);
  const auto above = std::ranges::count_if(
      candidate.blocks, [&](const Block& block) { return block.median > middle; });
  const auto below = std::ranges::count_if(
      candidate.blocks, [&](const Block& block) { return block.median < middle; });
  return fmt::format("{} of the candidate’s {} blocks lie {} the median of the baseline’s",
                     std::max(above, below), candidate.blocks.size(),
                     above >= below ? "above" : "below");
}

}  // namespace

Strip strip_of(const ReportModel& model, const CaseView& view) {
  const Side baseline = read_side(view.baseline), candidate = read_side(view.candidate);
  Strip strip;
  strip.title = title_of(view, baseline, candidate);
  if (baseline.blocks.empty() && candidate.blocks.empty()) return strip;
  const Range range = range_of(baseline, candidate);
  const bool has_both = !baseline.blocks.empty() && !candidate.blocks.empty();
  const double middle = has_both ? kWidth / 2 : baseline.blocks.empty() ? 0 : kWidth;
  const double gap = has_both ? 8 : 0;
  strip.svg = fmt::format(
      "<svg class=\"strip\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{}\">",
      kWidth, kHeight, strip.title);
  draw_side(baseline, 0, middle - gap, "base", range, view.baseline.estimate, strip.svg);
  draw_side(candidate, middle + gap, kWidth, view.label.tone, range, view.candidate.estimate,
            strip.svg);
  strip.svg += "</svg>";

  const QuantityPair ends = quantity_pair(range.low, range.high, view.unit,
                                          (range.high - range.low) / 4 / std::abs(range.high));
  strip.bottom = ends.before + " " + ends.unit;
  strip.top = ends.after + " " + ends.unit;
  const auto side_text = [](const char* name, const Side& side, bool reduced) {
    if (side.blocks.empty()) return std::string();
    const char* dot =
        reduced || side.samples > kMostDots ? "a dot is a block’s median" : "a dot is a sample";
    return fmt::format("{}: {} samples in {} blocks, {}. ", name, side.samples, side.blocks.size(),
                       dot);
  };
  strip.caption = side_text("Left, grey: baseline", baseline, model.baseline_is_reduced) +
                  side_text(has_both       ? "Right: candidate"
                            : view.finding ? "Candidate"
                                           : "This run",
                            candidate, false) +
                  "Time runs to the right; the line is the estimate.";
  if (range.outside > 0)
    strip.caption +=
        fmt::format(" {} lie outside the picture and are drawn at its edge.", range.outside);
  return strip;
}

}  // namespace plumbline
