#include "analysis/code/line_diff.h"

#include <algorithm>
#include <map>

namespace plumbline {
namespace {

constexpr std::size_t kContext = 3;  // equal lines around a change

using Numbers = std::vector<int>;

/// Equal lines get equal numbers, which are faster to compare.
std::pair<Numbers, Numbers> numbered(std::span<const std::string_view> before,
                                     std::span<const std::string_view> after) {
  std::map<std::string_view, int> known;
  const auto numbers_of = [&](std::span<const std::string_view> lines) {
    Numbers numbers;
    for (const std::string_view line : lines)
      numbers.push_back(known.try_emplace(line, int(known.size())).first->second);
    return numbers;
  };
  return {numbers_of(before), numbers_of(after)};
}

/// The furthest places that d edits reach, by diagonal (place in the first text − in the second).
class Search {
 public:
  Search(const Numbers& a, const Numbers& b) : a_(a), b_(b) {}

  CommonLines run(std::ptrdiff_t most_edits) {
    const std::ptrdiff_t last = std::min(most_edits, std::ptrdiff_t(a_.size() + b_.size()));
    for (std::ptrdiff_t d = 0; d <= last; ++d) {
      std::vector<std::ptrdiff_t>& now = reached_.emplace_back(std::size_t(d + 1));
      for (std::ptrdiff_t k = -d; k <= d; k += 2) {
        const std::ptrdiff_t x = slide(begin_of(d, k), k);
        now[std::size_t((k + d) / 2)] = x;
        if (x >= size_a() && x - k >= size_b()) return traced(d, k);
      }
    }
    return traced(last, furthest());
  }

 private:
  std::ptrdiff_t size_a() const { return std::ptrdiff_t(a_.size()); }
  std::ptrdiff_t size_b() const { return std::ptrdiff_t(b_.size()); }

  std::ptrdiff_t at(std::ptrdiff_t d, std::ptrdiff_t k) const {
    return reached_[std::size_t(d)][std::size_t((k + d) / 2)];
  }

  /// True if the d-th edit on the diagonal inserts a line of the second text.
  bool inserts(std::ptrdiff_t d, std::ptrdiff_t k) const {
    return k == -d || (k != d && at(d - 1, k - 1) < at(d - 1, k + 1));
  }

  std::ptrdiff_t begin_of(std::ptrdiff_t d, std::ptrdiff_t k) const {
    if (d == 0) return 0;
    return inserts(d, k) ? at(d - 1, k + 1) : at(d - 1, k - 1) + 1;
  }

  /// Along equal lines. Places outside the texts, which edits may reach, have none.
  std::ptrdiff_t slide(std::ptrdiff_t x, std::ptrdiff_t k) const {
    while (x < size_a() && x - k < size_b() && x >= 0 && x >= k &&
           a_[std::size_t(x)] == b_[std::size_t(x - k)])
      ++x;
    return x;
  }

  /// The diagonal within both texts that has come furthest.
  std::ptrdiff_t furthest() const {
    const auto d = std::ptrdiff_t(reached_.size()) - 1;
    std::ptrdiff_t best = 0, most = -1;
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      const std::ptrdiff_t x = at(d, k), y = x - k;
      if (x > size_a() || y > size_b() || x + y <= most) continue;
      most = x + y;
      best = k;
    }
    return best;
  }

  CommonLines traced(std::ptrdiff_t d, std::ptrdiff_t k) const {
    CommonLines common;
    std::ptrdiff_t x = at(d, k);
    common.before = std::size_t(x);
    common.after = std::size_t(x - k);
    for (; d >= 0; --d) {
      const std::ptrdiff_t begin = begin_of(d, k);
      for (; x > begin; --x) common.pairs.emplace_back(x - 1, x - 1 - k);
      if (d == 0) break;
      k += inserts(d, k) ? 1 : -1;
      x = at(d - 1, k);
    }
    std::ranges::reverse(common.pairs);
    return common;
  }

  const Numbers &a_, &b_;
  std::vector<std::vector<std::ptrdiff_t>> reached_;
};

/// Lines [from, to) of each text; one of the two is empty, or they are equal.
struct Piece {
  char sign = ' ';
  std::size_t before = 0, after = 0;  // numbers of its line
};

std::vector<Piece> pieces_of(const CommonLines& common) {
  std::vector<Piece> pieces;
  std::size_t i = 0, j = 0;
  const auto change_until = [&](std::size_t before, std::size_t after) {
    for (; i < before; ++i) pieces.push_back({'-', i, j});
    for (; j < after; ++j) pieces.push_back({'+', i, j});
  };
  for (const auto& [before, after] : common.pairs) {
    change_until(before, after);
    pieces.push_back({' ', i++, j++});
  }
  change_until(common.before, common.after);
  return pieces;
}

/// Ranges of pieces that are shown: changes, and the equal lines around them.
std::vector<std::pair<std::size_t, std::size_t>> hunks_of(const std::vector<Piece>& pieces) {
  std::vector<std::pair<std::size_t, std::size_t>> hunks;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].sign == ' ') continue;
    const std::size_t begin = i - std::min(i, kContext),
                      end = std::min(i + kContext + 1, pieces.size());
    if (!hunks.empty() && begin <= hunks.back().second)
      hunks.back().second = end;
    else
      hunks.emplace_back(begin, end);
  }
  return hunks;
}

/// "3,7" in the words of diff: an empty range is named by the line before it.
std::string range_text(std::size_t first, std::size_t count) {
  return std::to_string(count == 0 ? first : first + 1) + ',' + std::to_string(count);
}

}  // namespace

CommonLines common_lines(std::span<const std::string_view> before,
                         std::span<const std::string_view> after, std::size_t most_edits) {
  const auto [a, b] = numbered(before, after);
  return Search(a, b).run(std::ptrdiff_t(most_edits));
}

UnifiedDiff unified_diff(std::span<const std::string_view> before,
                         std::span<const std::string_view> after, const CommonLines& common,
                         std::size_t most_lines) {
  const std::vector<Piece> pieces = pieces_of(common);
  UnifiedDiff diff;
  const auto add = [&](std::string line) {
    if (diff.lines.size() < most_lines)
      diff.lines.push_back(std::move(line));
    else
      ++diff.left_out;
  };
  for (const auto& [begin, end] : hunks_of(pieces)) {
    std::size_t of_before = 0, of_after = 0;
    for (std::size_t i = begin; i < end; ++i) {
      of_before += pieces[i].sign != '+';
      of_after += pieces[i].sign != '-';
    }
    add("@@ -" + range_text(pieces[begin].before, of_before) + " +" +
        range_text(pieces[begin].after, of_after) + " @@");
    for (std::size_t i = begin; i < end; ++i)
      add(pieces[i].sign +
          std::string(pieces[i].sign == '-' ? before[pieces[i].before] : after[pieces[i].after]));
  }
  return diff;
}

}  // namespace plumbline
