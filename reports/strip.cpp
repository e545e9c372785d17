#include "reports/strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "core/words.h"
#include "reports/units.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostDots = 1000;  // on each side; above this, a dot is a block's median

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

/// An axis over nearly all values, with a margin: a single outlier must not flatten the picture.
Axis axis_of(const std::vector<double>& all) {
  Axis axis{quantile(all, 0.025), quantile(all, 0.975), kStripHeight, 0};
  const double room = std::max(0.25 * (axis.high - axis.low), 1e-4 * std::abs(axis.high));
  axis.low -= room;
  axis.high += room;
  if (!(axis.high > axis.low)) axis.high = axis.low + 1;
  return axis;
}

/// Bands mark every second block; the level is the estimate.
void draw_side(const Side& side, double from, double to, std::string_view tone, const Axis& axis,
               std::optional<double> estimate, PageData& paths) {
  if (side.blocks.empty()) return;
  const auto y = [&](double value) { return axis.at(std::clamp(value, axis.low, axis.high)); };
  const double step = (to - from) / double(side.blocks.size());
  std::string bands, dots;
  for (std::size_t i = 0; i < side.blocks.size(); ++i) {
    const double left = from + step * double(i);
    if (i % 2 == 1)
      fmt::format_to(std::back_inserter(bands), "M{:.1f} 0h{:.1f}v{}h-{:.1f}z", left, step,
                     kStripHeight, step);
    const auto& values = side.blocks[i].values;
    for (std::size_t k = 0; k < values.size(); ++k)
      fmt::format_to(std::back_inserter(dots), "M{:.1f} {:.1f}h0",
                     left + step * (double(k) + 0.5) / double(values.size()), y(values[k]));
  }
  paths.push_back(path_data("band", bands));
  paths.push_back(path_data(fmt::format("dots {}", tone), dots));
  if (estimate)
    paths.push_back(path_data(fmt::format("level {}", tone),
                              fmt::format("M{:.1f} {:.1f}H{:.1f}", from, y(*estimate), to)));
}

/// Counts blocks against the baseline's median block: if the sides are equal, half of the blocks
/// lie on either side. That does not hold for an estimate, which is a mean.
std::string title_of(const CaseView& view, const Side& baseline, const Side& candidate) {
  if (baseline.blocks.empty()) return view.finding ? "The candidate’s samples" : "Its samples";
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

PageData path_data(std::string_view kind, std::string_view d) { return {{"kind", kind}, {"d", d}}; }

PageData figure_data(std::string_view kind, const std::string& title, const std::string& caption,
                     const Axis& axis, std::string_view unit, PageData paths) {
  const QuantityPair ends =
      quantity_pair(axis.low, axis.high, unit, (axis.high - axis.low) / 4 / std::abs(axis.high));
  return {{"kind", kind},
          {"title", title},
          {"paths", std::move(paths)},
          {"top", ends.after + " " + ends.unit},
          {"bottom", ends.before + " " + ends.unit},
          {"caption", caption},
          {"devices", nullptr}};
}

PageData strip_of(const ReportModel& model, const CaseView& view) {
  // The samples are those of the acceptance and of the run: they would show another change.
  if (view.finding && (moved_since_baseline(*view.finding) || moved_since_run(*view.finding)))
    return nullptr;
  const Side baseline = read_side(view.baseline), candidate = read_side(view.candidate);
  std::vector<double> all;
  for (const Side* side : {&baseline, &candidate})
    for (const Block& block : side->blocks)
      all.insert(all.end(), block.values.begin(), block.values.end());
  if (all.empty()) return nullptr;
  const Axis axis = axis_of(all);
  const bool has_both = !baseline.blocks.empty() && !candidate.blocks.empty();
  const double middle = has_both ? kStripWidth / 2 : baseline.blocks.empty() ? 0 : kStripWidth;
  const double gap = has_both ? 8 : 0;
  PageData paths = PageData::array();
  draw_side(baseline, 0, middle - gap, "base", axis, view.baseline.estimate, paths);
  draw_side(candidate, middle + gap, kStripWidth, view.label.tone, axis, view.candidate.estimate,
            paths);

  const auto side_text = [](const char* name, const Side& side, bool reduced) {
    if (side.blocks.empty()) return std::string();
    if (reduced)
      return fmt::format("{}: {}, a dot is the mean of one. ", name,
                         counted(side.blocks.size(), "visit"));
    const char* dot = side.samples > kMostDots ? "a dot is a block’s median" : "a dot is a sample";
    return fmt::format("{}: {} samples in {} blocks, {}. ", name, side.samples, side.blocks.size(),
                       dot);
  };
  std::string caption = side_text("Left, grey: baseline", baseline, model.baseline_is_reduced) +
                        side_text(has_both       ? "Right: candidate"
                                  : view.finding ? "Candidate"
                                                 : "This run",
                                  candidate, false) +
                        "Time runs to the right; the line is the estimate.";
  const auto outside = std::ranges::count_if(
      all, [&](double value) { return value < axis.low || value > axis.high; });
  if (outside > 0)
    caption += fmt::format(" {} lie outside the picture and are drawn at its edge.", outside);
  return figure_data("strip", title_of(view, baseline, candidate), caption, axis, view.unit,
                     std::move(paths));
}

}  // namespace plumbline
