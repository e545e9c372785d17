#include "reports/sections/detail/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

#include "analysis/estimate/estimate.h"

namespace plumbline {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kRowBytes = 48;  // of a row besides its values: ends, shapes, separators
constexpr std::size_t kKept = 3;       // a block of up to this many samples is kept unchanged

int letters_of(SampleDetail detail) { return detail == SampleDetail::all ? 3 : 2; }

std::size_t values_of_block(std::size_t samples, SampleDetail detail) {
  if (detail == SampleDetail::all) return samples;
  return detail == SampleDetail::block_medians ? 1 : std::min(samples, kKept);
}

/// The blocks of a visit that count; summed up as one block in `pool` for round quantiles.
std::vector<std::span<const double>> blocks_of(const ResultRow& row, SampleDetail detail,
                                               std::vector<double>& pool) {
  std::vector<std::span<const double>> blocks;
  for (std::size_t i = 0; i < row.samples.blocks(); ++i)
    if (counts(row, i)) blocks.push_back(row.samples.block(i));
  if (detail != SampleDetail::round_quantiles) return blocks;
  pool.clear();
  for (const std::span<const double> block : blocks)
    pool.insert(pool.end(), block.begin(), block.end());
  return {pool};
}

std::size_t values_of_side(const SideView& side, SampleDetail detail) {
  std::size_t values = 0;
  std::vector<double> pool;
  for (const ResultRow* row : side.visits)
    for (const std::span<const double> block : blocks_of(*row, detail, pool))
      values += values_of_block(block.size(), detail);
  return values;
}

/// Quantile by the nearest order statistic: interpolation would not show in a picture.
double order_statistic(std::vector<double>& values, double share) {
  const auto place =
      values.begin() + std::ptrdiff_t(std::lround(share * double(values.size() - 1)));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

double middle(std::vector<double>& values) {
  const auto place = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), place, values.end());
  if (values.size() % 2 == 1) return *place;
  return (*place + *std::max_element(values.begin(), place)) / 2;
}

/// Values and shape of one side during collection.
struct Gathered {
  std::vector<double> values;
  std::string shape;
};

/// Adds what `detail` keeps of a block; returns the number of its finite samples.
std::size_t add_block(std::span<const double> samples, SampleDetail detail, Gathered& out,
                      std::vector<double>& pool) {
  pool.clear();
  std::ranges::copy_if(samples, std::back_inserter(pool),
                       [](double v) { return std::isfinite(v); });
  const std::size_t count = pool.size();
  if (count == 0) return 0;
  const std::size_t kept = values_of_block(count, detail);
  if (kept == count)
    out.values.insert(out.values.end(), pool.begin(), pool.end());
  else if (kept == 1)
    out.values.push_back(middle(pool));
  else
    for (const double share : {0.1, 0.5, 0.9})
      out.values.push_back(share == 0.5 ? middle(pool) : order_statistic(pool, share));
  return count;
}

Gathered gather(const SideView& side, SampleDetail detail) {
  Gathered out;
  std::vector<double> pool, round;
  const auto shape_end = [&](std::size_t blocks, std::size_t size, bool is_first) {
    if (blocks > 0)
      fmt::format_to(std::back_inserter(out.shape), "{}{}x{}", is_first ? "" : "+", blocks, size);
  };
  for (const ResultRow* row : side.visits) {
    fmt::format_to(std::back_inserter(out.shape), "{}{}:", out.shape.empty() ? "" : "|",
                   row->round);
    std::size_t run = 0, run_size = 0;
    bool is_first = true;
    for (const std::span<const double> block : blocks_of(*row, detail, round)) {
      const std::size_t size = add_block(block, detail, out, pool);
      if (size == 0) continue;
      if (run > 0 && size != run_size) {
        shape_end(run, run_size, is_first);
        is_first = false;
        run = 0;
      }
      run_size = size;
      ++run;
    }
    shape_end(run, run_size, is_first);
  }
  return out;
}

void encode(std::span<const double> values, double low, double high, int letters,
            std::string& out) {
  const double most = std::pow(64.0, letters) - 1;
  const bool is_log = low > 0;
  const double from = is_log ? std::log(low) : low;
  const double span = (is_log ? std::log(high) : high) - from;
  for (const double value : values) {
    const double share = span > 0 ? ((is_log ? std::log(value) : value) - from) / span : 0;
    const auto number = static_cast<unsigned>(std::lround(std::clamp(share, 0.0, 1.0) * most));
    for (int digit = letters - 1; digit >= 0; --digit)
      out += kLetters[(number >> (6 * digit)) & 63U];
  }
}

}  // namespace

SampleDetail detail_of(const CaseView& view, SampleDetail of_page) {
  return view.label.needs_action ? SampleDetail::all : of_page;
}

SampleDetail detail_for_room(const ReportModel& model, std::size_t room_bytes) {
  using enum SampleDetail;
  for (const SampleDetail level : {all, block_quantiles, block_medians}) {
    std::size_t bytes = 0;
    for (const CaseView& view : model.cases) {
      const SampleDetail own = detail_of(view, level);
      bytes += kRowBytes + std::size_t(letters_of(own)) * (values_of_side(view.baseline, own) +
                                                           values_of_side(view.candidate, own));
    }
    if (bytes <= room_bytes) return level;
  }
  return round_quantiles;
}

EncodedSamples encode_samples(const CaseView& view, SampleDetail detail) {
  EncodedSamples encoded;
  const Gathered baseline = gather(view.baseline, detail),
                 candidate = gather(view.candidate, detail);
  encoded.baseline_shape = baseline.shape;
  encoded.candidate_shape = candidate.shape;
  if (baseline.values.empty() && candidate.values.empty()) return encoded;
  encoded.low = std::numeric_limits<double>::infinity();
  encoded.high = -encoded.low;
  for (const Gathered* side : {&baseline, &candidate}) {
    for (const double value : side->values) {
      encoded.low = std::min(encoded.low, value);
      encoded.high = std::max(encoded.high, value);
    }
  }
  for (const Gathered* side : {&baseline, &candidate})
    encode(side->values, encoded.low, encoded.high, letters_of(detail), encoded.values);
  return encoded;
}

}  // namespace plumbline
