#include "analysis/bisect/bisection.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "analysis/confirm/judge_pairs.h"
#include "core/error.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr double kKnown = 1.0 / 3;  // half width of an interval that is good enough, over T
constexpr double kMost = 0.9;       // a step that explains less is not the only one
constexpr double kTooMuch = 1.25;   // a level or a step above this part of T was taken back

bool holds_zero(const Interval& interval) { return interval.low <= 0 && interval.high >= 0; }

Interval oriented(const Interval& interval, double sign) {
  return sign > 0 ? interval : Interval{-interval.center, -interval.high, -interval.low};
}

/// part / whole, where the whole is above 0.
Interval share_of(const Interval& part, const Interval& whole) {
  return {part.center / whole.center, part.low / (part.low > 0 ? whole.high : whole.low),
          part.high / (part.high > 0 ? whole.low : whole.high)};
}

enum class TotalAnswer { none, known, unclear };

enum class Level { like_good, like_bad, between, unclear };

}  // namespace

/// Goes through the search from its beginning, with the pairs that there are. Ends with the result,
/// or with what is wanted next.
class Bisection::Search {
 public:
  explicit Search(const Bisection& state) : state_(state) {
    if (!measure_total()) return;
    if (!find_neighbours()) return;
    if (!measure_step()) return;
    if (result_.kind == BisectKind::one_step) check_other_positions();
  }

  std::optional<PairsWanted> next() const { return next_; }
  const BisectResult& result() const { return result_; }

 private:
  /// The first answer of `answer_of` (interval, whether it is the last look → optional answer),
  /// which always has one at the last look. Nothing: more pairs are wanted.
  template <typename AnswerOf>
  auto ask(std::size_t baseline, std::size_t candidate, AnswerOf answer_of)
      -> decltype(answer_of(Interval{}, true)) {
    const auto found = state_.measured_.find({baseline, candidate});
    const Pairs none, &pairs = found == state_.measured_.end() ? none : found->second;
    const std::vector<std::size_t>& looks = state_.rule_.looks;
    for (std::size_t look = 0; look < looks.size(); ++look) {
      if (look == pairs.looks.size()) {
        next_ = {baseline, candidate, looks[look] - pairs.log_ratios.size()};
        return std::nullopt;
      }
      const auto answer = answer_of(pairs.looks[look], look + 1 == looks.size());
      if (!answer) continue;
      record({baseline, candidate, looks[look], pairs.looks[look]});
      return answer;
    }
    throw Error("bisect: no answer at the last look");
  }

  /// A comparison that goes on later replaces what it said before.
  void record(const MeasuredStep& step) {
    const auto same = std::ranges::find_if(result_.comparisons, [&](const MeasuredStep& earlier) {
      return earlier.baseline == step.baseline && earlier.candidate == step.candidate;
    });
    if (same == result_.comparisons.end())
      result_.comparisons.push_back(step);
    else
      *same = step;
  }

  /// Of the positions between, the middle one of those that are not skipped. If some have pairs,
  /// the nearest of these: a position that is skipped later moves the middle, but not what was
  /// measured.
  std::optional<std::size_t> middle(std::size_t low, std::size_t high) const {
    std::vector<std::size_t> left, measured;
    for (std::size_t i = low + 1; i < high; ++i) {
      if (state_.skipped_.contains(i)) continue;
      left.push_back(i);
      if (state_.measured_.contains({0, i})) measured.push_back(i);
    }
    if (left.empty()) return std::nullopt;
    const std::size_t center = left[left.size() / 2];
    if (measured.empty()) return center;
    return std::ranges::min(measured, {},
                            [&](std::size_t i) { return i < center ? center - i : i - center; });
  }

  /// True if there is a change to search for.
  bool measure_total() {
    const double limit = std::log1p(state_.rule_.threshold);
    const auto answer = ask(0, high_, [&](const Interval& total, bool is_last) {
      using enum TotalAnswer;
      std::optional<TotalAnswer> found;
      if (total.low > -limit && total.high < limit)
        found = none;
      else if (!holds_zero(total) && total.half_width() <= kKnown * std::abs(total.center))
        found = known;
      else if (is_last)
        found = unclear;
      return found;
    });
    if (!answer) return false;
    result_.total = result_.comparisons.back().change;
    sign_ = result_.total->center < 0 ? -1 : 1;
    total_ = oriented(*result_.total, sign_);
    if (*answer == TotalAnswer::none) result_.kind = BisectKind::none;
    return *answer == TotalAnswer::known;
  }

  /// What a position's change against GOOD says; nothing if it needs more pairs.
  std::optional<Level> level_of(std::size_t position) {
    return ask(0, position, [&](const Interval& change, bool is_last) {
      using enum Level;
      const Interval level = oriented(change, sign_);
      std::optional<Level> found;
      if (level.high < total_.low / 2)
        found = like_good;
      else if (level.low > total_.high / 2)
        found = like_bad;
      else if (level.low > 0 && level.high < total_.low)
        found = between;
      else if (is_last)
        found = unclear;
      if (found)
        is_outside_ |=
            level.low > kTooMuch * total_.high || level.high < (1 - kTooMuch) * total_.high;
      return found;
    });
  }

  /// True if two neighbours are left: all between them are skipped.
  bool find_neighbours() {
    for (;;) {
      result_.commits = {low_ + 1, high_};
      const std::optional<std::size_t> position = middle(low_, high_);
      if (!position) return true;
      const std::optional<Level> level = level_of(*position);
      if (!level) return false;
      if (*level == Level::between)
        result_.kind = is_outside_ ? BisectKind::taken_back : BisectKind::several;
      if (*level == Level::between || *level == Level::unclear) return false;
      (*level == Level::like_good ? low_ : high_) = *position;
    }
  }

  /// True if the change of the neighbours is known.
  bool measure_step() {
    const auto answer = ask(low_, high_, [&](const Interval& change, bool is_last) {
      const bool is_known = change.half_width() <= kKnown * total_.center;
      return is_known || is_last ? std::optional(oriented(change, sign_)) : std::nullopt;
    });
    if (!answer) return false;
    const bool is_total = low_ == 0 && high_ == state_.commits_;
    const Interval share = is_total ? Interval{1, 1, 1} : share_of(*answer, total_);
    result_.own = oriented(*answer, sign_);
    result_.share = share;
    if (is_outside_ || share.low > kTooMuch)
      result_.kind = BisectKind::taken_back;
    else if (share.high < kMost)
      result_.kind = BisectKind::several;
    else if (share.low > 0)
      result_.kind = BisectKind::one_step;
    const bool is_nothing = share.low <= 0 && result_.kind != BisectKind::cannot_tell;
    if (is_nothing) result_.commits = {1, state_.commits_};
    if (is_nothing) result_.own = result_.share = std::nullopt;
    return true;
  }

  /// Positions in the middle of the widest gaps, which should look like GOOD before the step and
  /// like BAD behind it.
  void check_other_positions() {
    for (std::size_t i = 0; i < state_.rule_.checks; ++i) {
      const std::optional<std::size_t> position = middle_of_widest_gap();
      if (!position) return;
      const std::optional<Level> level = level_of(*position);
      if (!level) {
        result_.kind = BisectKind::cannot_tell;
        return;
      }
      const Level expected = *position <= low_ ? Level::like_good : Level::like_bad;
      if (is_outside_ || (*level != expected && *level != Level::unclear)) {
        result_.kind = BisectKind::taken_back;
        return;
      }
    }
  }

  /// Between measured positions. In the step itself, nothing is left to measure.
  std::optional<std::size_t> middle_of_widest_gap() const {
    std::set<std::size_t> known{0, state_.commits_};
    for (const MeasuredStep& step : result_.comparisons) known.insert(step.candidate);
    std::size_t widest = 0;
    std::optional<std::size_t> found;
    for (auto low = known.begin(), high = std::next(low); high != known.end(); low = high++) {
      if (*high - *low <= widest) continue;
      const std::optional<std::size_t> position = middle(*low, *high);
      if (!position) continue;
      widest = *high - *low;
      found = position;
    }
    return found;
  }

  const Bisection& state_;
  std::size_t low_ = 0, high_ = state_.commits_;  // the change lies behind low, up to high
  double sign_ = 1;                               // of the total change
  Interval total_;                                // its size, above 0
  bool is_outside_ = false;  // a level lies clearly below 0 or above the total change
  std::optional<PairsWanted> next_;
  BisectResult result_;
};

Bisection::Bisection(std::size_t commits, BisectRule rule)
    : commits_(commits), rule_(std::move(rule)) {
  if (commits == 0) throw Error("bisect: there is no commit between the two sides");
  set_threshold(rule_.threshold);
  const auto halvings = static_cast<std::size_t>(std::bit_width(commits - 1));
  const double comparisons = double(2 + halvings + rule_.checks);
  require_rule({.looks = rule_.looks, .false_discovery_rate = rule_.error_rate});
  level_ = rule_.error_rate / comparisons / double(rule_.looks.size());
}

void Bisection::set_threshold(double threshold) {
  if (!(threshold >= 0)) throw Error("bisect: the threshold is a fraction of at least 0");
  rule_.threshold = threshold;
}

std::optional<PairsWanted> Bisection::next() const { return Search(*this).next(); }

BisectResult Bisection::result() const { return Search(*this).result(); }

void Bisection::add(std::size_t baseline, std::size_t candidate,
                    std::span<const double> log_ratios) {
  if (baseline >= candidate || candidate > commits_)
    throw Error("bisect: no such pair of positions: " + std::to_string(baseline) + " and " +
                std::to_string(candidate));
  require_finite(log_ratios, 0, "bisect: log ratios of pairs");
  Pairs& pairs = measured_[{baseline, candidate}];
  pairs.log_ratios.insert(pairs.log_ratios.end(), log_ratios.begin(), log_ratios.end());
  PairedRule rule;
  rule.looks = rule_.looks;
  rule.false_discovery_rate = level_ * double(rule_.looks.size());
  while (pairs.looks.size() < rule.looks.size() &&
         rule.looks[pairs.looks.size()] <= pairs.log_ratios.size()) {
    const std::size_t look = pairs.looks.size();
    PairedSeries series;
    series.differences.assign(pairs.log_ratios.begin(),
                              pairs.log_ratios.begin() + std::ptrdiff_t(rule.looks[look]));
    const PairedJudgement judged = judge_pairs({series}, {rule_.threshold}, rule, look)[0];
    pairs.looks.push_back({judged.change, judged.low, judged.high});
  }
}

void Bisection::skip(std::size_t position) {
  if (position == 0 || position >= commits_)
    throw Error("bisect: GOOD and BAD must be measurable; position " + std::to_string(position));
  skipped_.insert(position);
}

}  // namespace plumbline
