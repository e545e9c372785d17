#include "stats/change_point.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "stats/descriptive.h"
#include "stats/memory.h"
#include "stats/random_draws.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

struct Split {
  std::size_t at = 0;
  double statistic = 0;
};

/// Beginnings of a segment that are searched, evenly spaced, the whole segment included.
constexpr std::size_t kBeginnings = 8;
/// Distances to so few values are added one by one, which is faster.
constexpr std::size_t kFewValues = 64;

/// Some numbers: how many, and their sum.
struct Sum {
  double count = 0, sum = 0;

  void add(const Sum& more) {
    count += more.count;
    sum += more.sum;
  }
};

/// Sum of |x − y| over the y of `all`; `below`: those of them that are below x. Equal ones may be
/// on either side.
double distance_from(double x, const Sum& below, const Sum& all) {
  return x * (2 * below.count - all.count) + all.sum - 2 * below.sum;
}

/// Numbers whose ranks are known before they come (a Fenwick tree).
class RankedSums {
 public:
  void clear(std::size_t ranks) {
    tree_.assign(ranks + 1, {});
    all_ = {};
  }
  void add(std::size_t rank, double value) {
    for (std::size_t i = rank + 1; i < tree_.size(); i += i & -i) tree_[i].add({1, value});
    all_.add({1, value});
  }
  std::size_t size() const { return tree_.size(); }
  double distance_to(std::size_t rank, double value) const {
    Sum below;
    for (std::size_t i = rank; i > 0; i -= i & -i) below.add(tree_[i]);
    return distance_from(value, below, all_);
  }

 private:
  std::vector<Sum> tree_;
  Sum all_;
};

/// Splits of permutations of one set of values, and of their beginnings. Distances do not change
/// with the order: the distance to the values on the left is that to all values minus that to the
/// right. Values are known by their ranks, so that a permutation of n values takes n log n steps.
class Splits {
 public:
  Splits(std::span<const double> values, std::size_t min_size)
      : min_size_(min_size),
        ranks_(values.size()),
        from_all_(values.size()),
        per_pair_(values.size() + 1),
        left_(values.size() + 1),
        permuted_(values.size()),
        places_(values.size()) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
    const double middle =
        values[order[order.size() / 2]];  // small numbers are added exactly enough
    Sum all, below;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      ranks_[order[rank]] = rank;
      sorted_.push_back(values[order[rank]] - middle);
      all.add({1, sorted_.back()});
    }
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      from_all_[rank] = distance_from(sorted_[rank], below, all);
      below.add({1, sorted_[rank]});
    }
    for (std::size_t n = 2; n <= values.size(); ++n) per_pair_[n] = 2 / (double(n) * double(n - 1));
    for (std::size_t i = 1; i <= kBeginnings; ++i)
      if (const std::size_t end = values.size() * i / kBeginnings; end >= 2 * min_size)
        beginnings_.push_back({end, std::vector<double>(values.size() + 1)});
  }

  /// The ranks of the values, in their order.
  const std::vector<std::size_t>& ranks() const { return ranks_; }

  /// `order`: ranks of the values, permuted.
  Split best(std::span<const std::size_t> order) {
    add_distances(order);
    Split best;
    for (const Beginning& beginning : beginnings_) {
      const auto& [end, right] = beginning;
      for (std::size_t at = min_size_; at + min_size_ <= end; ++at) {
        const double within = left_[at] * per_pair_[at] + right[at] * per_pair_[end - at];
        const double between = right[0] - left_[at] - right[at];
        const double statistic =
            (2 * between - double(at) * double(end - at) * within) / double(end);
        if (statistic > best.statistic) best = {at, statistic};
      }
    }
    return best;
  }

 private:
  struct Beginning {
    std::size_t end = 0;
    std::vector<double> right;  // sums of |x − y| over the pairs from a place to the end
  };
  /// The values between the ends of two beginnings are a part.
  using Parts = std::array<Sum, kBeginnings>;
  /// Of a value, by its rank.
  struct Place {
    std::size_t part = 0, rank_in_part = 0;
    Parts below = {};  // the lower values of each part
  };

  /// Returns all values of each part.
  Parts find_places(std::span<const std::size_t> order) {
    std::size_t at = 0;
    for (std::size_t part = 0; part < beginnings_.size(); ++part)
      for (; at < beginnings_[part].end; ++at) places_[order[at]].part = part;
    Parts seen = {};
    for (std::size_t rank = 0; rank < places_.size(); ++rank) {
      Place& place = places_[rank];
      place.below = seen;
      place.rank_in_part = std::size_t(seen[place.part].count);
      seen[place.part].add({1, sorted_[rank]});
    }
    return seen;
  }

  /// To the values on the right in the same part; `at` goes from right to left.
  double distance_in_part(std::size_t at, const Place& place) {
    const double value = permuted_[at];
    double sum = 0;
    if (to_right_.size() > kFewValues) {
      sum = to_right_.distance_to(place.rank_in_part, value);
      to_right_.add(place.rank_in_part, value);
    } else {
      for (std::size_t i = at + 1; i < beginnings_[place.part].end; ++i)
        sum += std::abs(value - permuted_[i]);
    }
    return sum;
  }

  void add_distances(std::span<const std::size_t> order) {
    const Parts all = find_places(order);
    for (std::size_t at = 0; at < order.size(); ++at) permuted_[at] = sorted_[order[at]];
    for (std::size_t at = order.size(), part = beginnings_.size(); at-- > 0;) {
      const Place& place = places_[order[at]];
      const double value = permuted_[at];
      if (place.part != part) to_right_.clear(std::size_t(all[part = place.part].count));
      double to_right = distance_in_part(at, place);
      for (std::size_t i = part; i < beginnings_.size(); ++i) {
        auto& [end, right] = beginnings_[i];
        if (i > part) to_right += distance_from(value, place.below[i], all[i]);
        right[at] = (at + 1 < end ? right[at + 1] : 0) + to_right;
      }
      left_[at + 1] = from_all_[order[at]] - to_right;
    }
    for (std::size_t at = 0; at < order.size(); ++at) left_[at + 1] += left_[at];
  }

  std::size_t min_size_;
  std::vector<std::size_t> ranks_;
  std::vector<double> sorted_, from_all_;  // by rank
  std::vector<double> per_pair_;           // per_pair_[n]: 1 / number of pairs of n values
  std::vector<double> left_;               // left_[n]: sum of |x − y| in pairs of the first n
  std::vector<double> permuted_;
  std::vector<Beginning> beginnings_;
  std::vector<Place> places_;
  RankedSums to_right_;  // the values of a part that are on the right
};

double permutation_p(Splits& splits, const Split& split, const ChangeSearch& search,
                     RandomDraws& draws) {
  // Sums of the same distances in another order differ by rounding.
  const double bar = split.statistic * (1 - 1e-9);
  // Stops early once the p value can no longer come below the level.
  const auto most = std::size_t(search.level * double(search.resamples + 1));
  std::vector<std::size_t> order = splits.ranks();
  std::size_t reached = 0, drawn = 0;
  while (drawn < search.resamples && reached < most + 10) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws.below(i)]);
    reached += splits.best(order).statistic >= bar;
    ++drawn;
  }
  return double(1 + reached) / double(1 + drawn);
}

void divide(std::span<const double> values, std::size_t offset, const ChangeSearch& search,
            RandomDraws& draws, std::vector<ChangePoint>& found) {
  if (values.size() < 2 * search.min_size) return;
  Splits splits(values, search.min_size);
  const Split split = splits.best(splits.ranks());
  if (split.at == 0) return;
  const double p_value = permutation_p(splits, split, search, draws);
  if (p_value > search.level) return;
  divide(values.first(split.at), offset, search, draws, found);
  found.push_back({offset + split.at, split.statistic, p_value, 0, 0});
  divide(values.subspan(split.at), offset + split.at, search, draws, found);
}

/// Whether no change can reach the floor. Every segment consists of windows of min_size to 2
/// min_size − 1 values, and more than half of each window is at or below its upper median. So the
/// median of a segment is at most the highest of these. The same holds from below.
bool is_level(std::span<const double> values, const ChangeSearch& search) {
  double low = INFINITY, high = -INFINITY;
  std::vector<double> sorted;
  for (std::size_t begin = 0; begin + search.min_size <= values.size(); ++begin) {
    sorted.clear();
    for (const double value : values.subspan(begin)) {
      sorted.insert(std::ranges::upper_bound(sorted, value), value);
      if (sorted.size() < search.min_size) continue;
      low = std::min(low, sorted[(sorted.size() - 1) / 2]);
      high = std::max(high, sorted[sorted.size() / 2]);
      if (sorted.size() + 1 == 2 * search.min_size) break;
    }
  }
  return high - low < search.floor;
}

/// Smallest side of a change that was moved, and of a late change.
constexpr std::size_t kLeastSide = 2;

/// Sum of the distances of the values from their median.
double around_median(std::span<const double> values) {
  const double middle = median(values);
  double sum = 0;
  for (const double value : values) sum += std::abs(value - middle);
  return sum;
}

/// Where two levels fit best, at most `reach` away from `at`.
std::size_t placed_anew(std::span<const double> values, std::size_t at, std::size_t reach) {
  const auto fit = [&](std::size_t place) {
    return around_median(values.first(place)) + around_median(values.subspan(place));
  };
  const std::size_t from = std::max(kLeastSide, at - std::min(at, reach));
  const std::size_t to = std::min(values.size() - kLeastSide, at + reach);
  std::size_t best = at;
  double least = fit(at) * (1 - 1e-9);  // sums of the same distances differ by rounding
  for (std::size_t place = from; place <= to; ++place)
    if (const double here = fit(place); here < least) {
      best = place;
      least = here;
    }
  return best;
}

void place_anew(std::span<const double> values, const ChangeSearch& search,
                std::vector<ChangePoint>& found) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : found[i - 1].at;
    const std::size_t end = i + 1 == found.size() ? values.size() : found[i + 1].at;
    found[i].at = begin + placed_anew(values.subspan(begin, end - begin), found[i].at - begin,
                                      search.min_size - 1);
  }
}

/// Distance between the mean of the last `size` values and the mean of those before, in standard
/// errors; the scatter of both sides is pooled. 0 if any of the last values lies in the range of
/// those before, or if the step is below `floor`.
double apart_by(std::span<const double> values, std::size_t size, double floor) {
  const auto before = values.first(values.size() - size), after = values.last(size);
  const auto [low, high] = std::ranges::minmax(before);
  const bool is_above = std::ranges::min(after) > high, is_below = std::ranges::max(after) < low;
  const double step = std::abs(mean(after) - mean(before));
  if (!(is_above || is_below) || step < floor) return 0;
  double squares = variance(before) * double(before.size() - 1);
  if (size > 1) squares += variance(after) * double(size - 1);
  const double scatter = squares / double(values.size() - (size > 1 ? 2 : 1));
  const double error = std::sqrt(scatter * (1 / double(before.size()) + 1 / double(after.size())));
  return error > 0 ? step / error : INFINITY;
}

void set_levels(std::span<const double> values, std::vector<ChangePoint>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : changes[i - 1].at;
    const std::size_t end = i + 1 == changes.size() ? values.size() : changes[i + 1].at;
    changes[i].before = median(values.subspan(begin, changes[i].at - begin));
    changes[i].after = median(values.subspan(changes[i].at, end - changes[i].at));
  }
}

}  // namespace

void tell_levels(std::span<const double> values, double floor, std::vector<ChangePoint>& changes) {
  for (;;) {
    set_levels(values, changes);
    const auto size = [](const ChangePoint& change) {
      return std::abs(change.after - change.before);
    };
    const auto smallest = std::ranges::min_element(changes, {}, size);
    if (smallest == changes.end() || size(*smallest) >= floor) return;
    changes.erase(smallest);
  }
}

std::vector<ChangePoint> change_points(std::span<const double> values, const ChangeSearch& search) {
  require_finite(values, 0, "change_points");
  if (search.min_size < 2 || !(search.level > 0 && search.level < 1) || !(search.floor >= 0) ||
      search.resamples == 0)
    throw Error(
        "change_points: min_size is at least 2, the level in (0, 1), the floor at least 0, "
        "and there are resamples");
  if (is_level(values, search)) return {};
  RandomDraws draws(search.seed);
  std::vector<ChangePoint> found;
  divide(values, 0, search, draws, found);
  place_anew(values, search, found);
  tell_levels(values, search.floor, found);
  return found;
}

LateChange late_change(std::span<const double> values, const ChangeSearch& search) {
  constexpr double kErrors = 5;
  // Stricter, since this is tested again after every new value.
  const double level = search.level / 100;
  const auto p_value = [&](double errors) {
    const double places = double(search.min_size - kLeastSide);
    return std::min(1.0, places * student_t_two_sided_p(errors, double(values.size() - 2)));
  };
  LateChange late;
  double most = kErrors;
  for (std::size_t size = search.min_size - 1; size >= kLeastSide; --size) {
    if (values.size() < search.min_size + size) continue;
    const double errors = apart_by(values, size, search.floor);
    if (errors < most || (late.change && errors == most) || p_value(errors) > level) continue;
    const std::size_t at = values.size() - size;
    if (beyond_memory(values, about_step_with_memory(values, at)) < kBeyondMemory) continue;
    most = errors;
    late.change = {at, errors, p_value(errors), median(values.first(at)),
                   median(values.subspan(at))};
  }
  if (late.change || values.size() <= search.min_size) return late;
  const double errors = apart_by(values, 1, search.floor);
  late.last_is_apart = errors >= kErrors && p_value(errors) <= level;
  return late;
}

}  // namespace plumbline
