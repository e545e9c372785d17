#include "stats/table/table.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/expression/expression.h"
#include "core/value.h"

namespace plumbline {
namespace {

using enum ListNeed::Use;

constexpr ListNeed kNone{};
constexpr ListNeed kValues{required, "values", 1}, kTwoValues{required, "values", 2};
constexpr ListNeed kPositions{optional, "positions of the values", 2, Domain::any, true};
constexpr ListNeed kVariances{required, "variances", 1, Domain::not_negative};
constexpr ListNeed kDegrees{required, "degrees of freedom", 1, Domain::positive, true};
constexpr ListNeed kPValues{required, "p values", 1, Domain::probabilities};

constexpr std::span<const std::string_view> kNoOptions;
constexpr std::string_view kRankInterval[] = {"confidence", "method"};
constexpr std::string_view kInterval[] = {"confidence"};
constexpr std::string_view kQuantile[] = {"probability", "confidence"};
constexpr std::string_view kTrend[] = {"alternative", "confidence", "method", "autocorrelation"};

constexpr Statistic kStatistics[] = {
    {"hodges_lehmann", "Robust center, with its rank interval", kValues, kNone, "", "center",
     kRankInterval, answer_hodges_lehmann},
    {"median_interval", "Median, with its interval of order statistics", kValues, kNone, "",
     "median", kInterval, answer_median_interval},
    {"quantile", "Quantile by interpolation (type 7), with its interval", kValues, kNone, "",
     "quantile", kQuantile, answer_quantile},
    {"mad", "Median absolute deviation, not scaled", kValues, kNone, "", "MAD", kNoOptions,
     answer_mad},
    {"theil_sen", "Theil and Sen's slope of a over b, or over 0, 1, 2, …", kTwoValues, kPositions,
     "", "slope", kInterval, answer_theil_sen},
    {"mann_kendall", "Mann and Kendall's test: whether values rise or fall in their order",
     kTwoValues, kNone, "S: pairs that rise less pairs that fall", "Sen's slope a step", kTrend,
     answer_mann_kendall},
    {"bh", "p values adjusted by Benjamini and Hochberg (false discovery rate)", kPValues, kNone,
     "", "", kNoOptions, answer_bh},
    {"simes", "Simes' p value of all p values together", kPValues, kNone, "", "", kNoOptions,
     answer_simes},
    {"moderation", "Variances made steadier by what they share (empirical Bayes)", kVariances,
     kDegrees, "", "prior variance", kNoOptions, answer_moderation},
};

bool is_beyond_double(const StatResult& result) {
  if (result.estimate && std::isinf(*result.estimate)) return true;
  if (result.interval && (std::isinf(result.interval->lower) || std::isinf(result.interval->upper)))
    return true;
  std::vector<double> numbers;
  for (const auto* number :
       {&result.statistic, &result.p_value, &result.estimate, &result.coverage})
    if (*number) numbers.push_back(**number);
  if (result.interval)
    numbers.insert(numbers.end(), {result.interval->lower, result.interval->upper});
  for (const auto& [name, number] : result.details) numbers.push_back(number);
  const auto is_nan = [](double number) { return std::isnan(number); };
  if (result.per_value && std::ranges::any_of(result.per_value->values, is_nan)) return true;
  return std::ranges::any_of(numbers, is_nan);
}

/// "1e+308, value 2 of 6 in a".
std::string furthest_in_words(const StatInput& input) {
  const auto furthest = [](std::span<const double> list) {
    return std::ranges::max_element(list, {}, [](double number) { return std::abs(number); });
  };
  const bool is_in_b = !input.b.empty() && (input.a.empty() || std::abs(*furthest(input.b)) >
                                                                   std::abs(*furthest(input.a)));
  const std::span<const double> list = is_in_b ? input.b : input.a;
  const auto found = furthest(list);
  return shortest_text(*found) + ", value " + std::to_string(found - list.begin() + 1) + " of " +
         std::to_string(list.size()) + " in " + (is_in_b ? "b" : "a");
}

}  // namespace

std::span<const Statistic> statistics() { return kStatistics; }

const Statistic& find_statistic(std::string_view name) {
  std::vector<std::string> names;
  std::string listed;
  for (const Statistic& row : statistics()) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
    listed += (listed.empty() ? "" : ", ") + names.back();
  }
  const std::string near = nearest_name(name, names);
  throw Error("there is no statistic '" + std::string(name) + "'" +
              (near.empty() ? "; there are: " + listed : "; did you mean '" + near + "'?"));
}

StatResult result_of(const Statistic& row, const StatInput& input) {
  StatResult result = row.answer(input);
  if (!is_beyond_double(result)) return result;
  throw Error(std::string(row.name) +
              ": sums, differences or squares of these numbers are too large or too small for "
              "double precision; furthest from 0 is " +
              furthest_in_words(input) + "; scale them to lie nearer to 1");
}

StatOptions options_for(const Statistic& statistic,
                        const std::vector<std::pair<std::string, std::string>>& given) {
  StatOptions options;
  for (const auto& [name, text] : given) {
    if (std::ranges::find(statistic.options, name) == statistic.options.end()) {
      std::string taken;
      for (const std::string_view option : statistic.options)
        taken += (taken.empty() ? "--" : ", --") + std::string(option);
      throw Error("--" + name + ": " + std::string(statistic.name) +
                  (taken.empty() ? " takes no options" : " takes " + taken));
    }
    std::ranges::find(stat_options(), name, &StatOption::name)->set(options, text);
  }
  return options;
}

}  // namespace plumbline
