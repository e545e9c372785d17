#include "stats/change_point.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "stats/descriptive.h"
#include "stats/random_draws.h"

namespace plumbline {
namespace {

struct Split {
  std::size_t at = 0;
  double statistic = 0;
};

/// The best split of a segment. As the split moves by a value, that value's distances move from the
/// sum within the right side to the sum within the left one: n² / 2 distances in all.
Split best_split(std::span<const double> values, std::size_t min_size) {
  const std::size_t n = values.size();
  double left = 0, right = 0, all = 0;  // sums of |x − y| over pairs within each
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) all += std::abs(values[i] - values[j]);
  right = all;
  Split best;
  for (std::size_t at = 1; at + min_size <= n; ++at) {
    const double moved = values[at - 1];
    for (std::size_t j = 0; j + 1 < at; ++j) left += std::abs(moved - values[j]);
    for (std::size_t j = at; j < n; ++j) right -= std::abs(moved - values[j]);
    if (at < min_size) continue;
    const auto m = double(at), k = double(n - at);
    const double between = (all - left - right) / (m * k);
    const double energy = 2 * between - 2 * left / (m * (m - 1)) - 2 * right / (k * (k - 1));
    const double statistic = m * k / (m + k) * energy;
    if (statistic > best.statistic) best = {at, statistic};
  }
  return best;
}

double permutation_p(std::span<const double> values, const Split& split, const ChangeSearch& search,
                     RandomDraws& draws) {
  // Sums of the same distances in another order differ by rounding.
  const double bar = split.statistic * (1 - 1e-9);
  // What can no longer come below the level is not counted to its end.
  const auto most = std::size_t(search.level * double(search.resamples + 1));
  std::vector<double> shuffled(values.begin(), values.end());
  std::size_t reached = 0, drawn = 0;
  while (drawn < search.resamples && reached < most + 10) {
    for (std::size_t i = shuffled.size(); i > 1; --i)
      std::swap(shuffled[i - 1], shuffled[draws.below(i)]);
    reached += best_split(shuffled, search.min_size).statistic >= bar;
    ++drawn;
  }
  return double(1 + reached) / double(1 + drawn);
}

void divide(std::span<const double> values, std::size_t offset, const ChangeSearch& search,
            RandomDraws& draws, std::vector<ChangePoint>& found) {
  if (values.size() < 2 * search.min_size) return;
  const Split split = best_split(values, search.min_size);
  if (split.at == 0) return;
  const double p_value = permutation_p(values, split, search, draws);
  if (p_value > search.level) return;
  divide(values.first(split.at), offset, search, draws, found);
  found.push_back({offset + split.at, split.statistic, p_value, 0, 0});
  divide(values.subspan(split.at), offset + split.at, search, draws, found);
}

/// Medians of the segments that the changes make.
void tell_levels(std::span<const double> values, std::vector<ChangePoint>& found) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : found[i - 1].at;
    const std::size_t end = i + 1 == found.size() ? values.size() : found[i + 1].at;
    found[i].before = median(values.subspan(begin, found[i].at - begin));
    found[i].after = median(values.subspan(found[i].at, end - found[i].at));
  }
}

}  // namespace

std::vector<ChangePoint> change_points(std::span<const double> values, const ChangeSearch& search) {
  require_finite(values, 0, "change_points");
  if (search.min_size < 2 || !(search.level > 0 && search.level < 1) || !(search.floor >= 0) ||
      search.resamples == 0)
    throw Error(
        "change_points: min_size is at least 2, the level in (0, 1), the floor at least 0, "
        "and there are resamples");
  RandomDraws draws(search.seed);
  std::vector<ChangePoint> found;
  divide(values, 0, search, draws, found);
  tell_levels(values, found);
  // Without the smallest change its neighbours' segments grow together; then the next is looked at.
  for (;;) {
    const auto size = [](const ChangePoint& change) {
      return std::abs(change.after - change.before);
    };
    const auto smallest = std::ranges::min_element(found, {}, size);
    if (smallest == found.end() || size(*smallest) >= search.floor) return found;
    found.erase(smallest);
    tell_levels(values, found);
  }
}

}  // namespace plumbline
