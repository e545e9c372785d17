#include "analysis/variance/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "stats/quadrature.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

/// Larger numbers are no useful advice.
constexpr std::size_t kMostRounds = 30, kMostBlocks = 256, kMostPairs = 1000;

/// Smallest change that is seen 80 % of the time with such rounds and blocks on both sides.
double detectable_with(const ErrorParts& parts, double rounds, double blocks, double confidence) {
  const double block = parts.blocks > 0 ? parts.block * parts.blocks / blocks : parts.block;
  const double visits = (block + parts.visit) * parts.rounds / rounds;
  const double visit_df = parts.visit_df + 2 * (rounds - parts.rounds);
  const double variance = visits + parts.run;
  if (!(variance > 0)) return 0;
  // Degrees of freedom of a sum: Satterthwaite (1946).
  const double spread =
      visits * visits / visit_df + (parts.run > 0 ? parts.run * parts.run / parts.run_df : 0);
  const double df = spread > 0 ? variance * variance / spread : visit_df;
  return (student_t_quantile(0.5 + confidence / 2, df) + kPower80) * std::sqrt(variance);
}

/// Smallest number above the current one, up to `most`, that brings `detectable` down to `limit`.
/// `detectable` must fall as the number rises.
std::optional<std::size_t> enough(double now, std::size_t most, double limit,
                                  const auto& detectable) {
  const auto first = static_cast<std::size_t>(std::ceil(now)) + 1;
  if (first > most || detectable(static_cast<double>(most)) > limit) return std::nullopt;
  const auto numbers = std::views::iota(first, most + 1);
  return *std::ranges::partition_point(
      numbers, [&](std::size_t n) { return detectable(static_cast<double>(n)) > limit; });
}

std::string percent(double fraction) { return fmt::format("{:.2g} %", 100 * fraction); }

std::string cure_text(const BlindSpot& spot, const ErrorParts& parts, double run_alone,
                      double margin) {
  std::string text;
  if (spot.rounds)
    text = fmt::format("{} rounds of both runs instead of {:.0f}", *spot.rounds, parts.rounds);
  if (spot.blocks)
    text += fmt::format("{}{} blocks a visit instead of {:.0f}", text.empty() ? "" : ", or ",
                        *spot.blocks, parts.blocks);
  if (!text.empty()) return text;
  if (run_alone > std::log1p(margin))
    return fmt::format(
        "no number of rounds: its run-to-run part alone is {}; pairs (plumbline ab) take it off",
        percent(spot.run_sd));
  return fmt::format(
      "more than {} rounds: its visits differ by {}; pairs (plumbline ab) may resolve it",
      kMostRounds, percent(in_quadrature(spot.block_sd, spot.visit_sd) * std::sqrt(parts.rounds)));
}

}  // namespace

std::optional<BlindSpot> blind_spot(const ErrorParts& parts, double detectable, double margin,
                                    double confidence) {
  const double limit = std::log1p(margin);
  if (!(detectable > limit)) return std::nullopt;
  BlindSpot spot;
  spot.detectable = std::expm1(detectable);
  spot.margin = margin;
  // The parts are those of a change, which two runs make up.
  spot.block_sd = std::sqrt(parts.block / 2);
  spot.visit_sd = std::sqrt(parts.visit / 2);
  spot.run_sd = std::sqrt(parts.run / 2);
  spot.rounds = enough(parts.rounds, kMostRounds, limit, [&](double rounds) {
    return detectable_with(parts, rounds, parts.blocks, confidence);
  });
  if (parts.blocks > 0)
    spot.blocks = enough(parts.blocks, kMostBlocks, limit, [&](double blocks) {
      return detectable_with(parts, parts.rounds, blocks, confidence);
    });
  const double run_alone =
      parts.run > 0 ? (student_t_quantile(0.5 + confidence / 2, parts.run_df) + kPower80) *
                          std::sqrt(parts.run)
                    : 0;
  spot.cure = cure_text(spot, parts, run_alone, margin);
  return spot;
}

std::optional<BlindSpot> blind_spot_of_pairs(std::size_t pairs, double detectable, double margin) {
  const double limit = std::log1p(margin);
  if (pairs == 0 || !(detectable > limit)) return std::nullopt;
  BlindSpot spot;
  spot.detectable = std::expm1(detectable);
  spot.margin = margin;
  const double needed = static_cast<double>(pairs) * std::pow(detectable / limit, 2);
  if (needed <= double(kMostPairs)) spot.pairs = static_cast<std::size_t>(std::ceil(needed));
  spot.cure = spot.pairs ? fmt::format("{} pairs instead of {} (--looks)", *spot.pairs, pairs)
                         : fmt::format("more than {} pairs: it scatters too much", kMostPairs);
  return spot;
}

}  // namespace plumbline
