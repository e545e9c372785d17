#include "stats/table/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "support/places.h"

namespace plumbline {
namespace {

using nlohmann::json;

const json& vectors() {
  static const json all = [] {
    std::ifstream file(source_dir() / "tests/unit/stats/vectors/vectors.json");
    return json::parse(file);
  }();
  return all.at("cases");
}

/// A row's answers, by their names in the command's JSON.
std::map<std::string, std::vector<double>> named(const StatResult& result) {
  std::map<std::string, std::vector<double>> all;
  const auto put = [&](const char* name, const std::optional<double>& value) {
    if (value) all[name] = {*value};
  };
  put("statistic", result.statistic);
  put("p_value", result.p_value);
  put("estimate", result.estimate);
  put("coverage", result.coverage);
  if (result.interval) all["interval"] = {result.interval->lower, result.interval->upper};
  for (const auto& [name, value] : result.details) all[std::string(name)] = {value};
  if (result.per_value) all[std::string(result.per_value->name)] = result.per_value->values;
  return all;
}

StatResult answer_to(const json& one) {
  const Statistic& row = find_statistic(one.at("test").get<std::string>());
  std::vector<std::pair<std::string, std::string>> options;
  for (const auto& [name, text] : one.at("options").items())
    options.emplace_back(name, text.get<std::string>());
  const auto a = one.at("a").get<std::vector<double>>();
  const auto b = one.value("b", std::vector<double>());
  return result_of(row, {a, b, options_for(row, options)});
}

/// Relative to the larger of the two; exact values may be 1e-15 where the truth is 0.
void expect_near(double found, double expected, double relative) {
  EXPECT_NEAR(found, expected, relative * std::max(std::abs(found), std::abs(expected)) + 1e-15);
}

void expect_as_said(const json& one) {
  const auto found = named(answer_to(one));
  for (const auto& [name, value] : one.at("expect").items()) {
    SCOPED_TRACE(name);
    const auto expected = value.is_array() ? value.get<std::vector<double>>()
                                           : std::vector<double>{value.get<double>()};
    ASSERT_TRUE(found.contains(name));
    const std::vector<double>& answered = found.at(name);
    ASSERT_EQ(answered.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      expect_near(answered[i], expected[i], one.at("tolerance").get<double>());
  }
}

TEST(StatisticsTable, answers_as_other_software_does) {
  for (std::size_t i = 0; i < vectors().size(); ++i) {
    const json& one = vectors()[i];
    SCOPED_TRACE(testing::Message() << "case " << i << ", " << one.at("test") << " with "
                                    << one.at("options").dump() << ", " << one.at("source"));
    expect_as_said(one);
  }
}

TEST(StatisticsTable, every_row_is_held_against_other_software) {
  std::set<std::string> rows, held;
  for (const Statistic& row : statistics()) rows.insert(std::string(row.name));
  for (const json& one : vectors()) held.insert(one.at("test").get<std::string>());
  EXPECT_EQ(held, rows);
}

TEST(StatisticsTable, every_option_of_a_row_exists_and_is_of_some_row) {
  std::set<std::string_view> known, taken;
  for (const StatOption& option : stat_options()) known.insert(option.name);
  for (const Statistic& row : statistics()) taken.insert(row.options.begin(), row.options.end());
  EXPECT_EQ(taken, known);
}

TEST(StatisticsTable, options_keep_what_their_texts_say) {
  const std::map<std::string_view, std::string> texts{{"confidence", "0.9"},
                                                      {"alternative", "greater"},
                                                      {"method", "asymptotic"},
                                                      {"probability", "0.25"},
                                                      {"autocorrelation", "hamed_rao"}};
  ASSERT_EQ(texts.size(), stat_options().size());
  StatOptions options;
  for (const StatOption& option : stat_options()) {
    EXPECT_NE(to_text(option.get(options)), texts.at(option.name));
    option.set(options, texts.at(option.name));
    EXPECT_EQ(to_text(option.get(options)), texts.at(option.name));
  }
}

std::string error_of(const char* test, const char* option, const char* text) {
  try {
    options_for(find_statistic(test), {{option, text}});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(StatisticsTable, mistakes_name_what_is_allowed) {
  EXPECT_EQ(error_of("mann_kendal", "method", "exact"),
            "there is no statistic 'mann_kendal'; did you mean 'mann_kendall'?");
  EXPECT_EQ(error_of("hodges_lehmann", "alternative", "less"),
            "--alternative: hodges_lehmann takes --confidence, --method");
  EXPECT_EQ(error_of("simes", "method", "exact"), "--method: simes takes no options");
  EXPECT_EQ(error_of("quantile", "confidence", "95"),
            "--confidence 95: expected a number above 0 and below 1");
  EXPECT_EQ(error_of("quantile", "confidence", "0.9x"),
            "--confidence 0.9x: expected a number above 0 and below 1");
  EXPECT_EQ(error_of("mann_kendall", "alternative", "up"),
            "--alternative up: expected two_sided, less or greater");
  EXPECT_EQ(error_of("mann_kendall", "method", "table"),
            "--method table: expected auto, exact or asymptotic");
}

TEST(StatisticsTable, lists_that_are_not_finite_are_errors_for_every_row) {
  const std::vector<double> good{0.1, 0.2, 0.3, 0.4}, bad{0.1, NAN, 0.3, 0.4},
      endless{0.1, 0.2, INFINITY, 0.4};
  for (const Statistic& row : statistics()) {
    SCOPED_TRACE(row.name);
    const bool takes_b = row.b.use != ListNeed::Use::none;
    for (const auto* values : {&bad, &endless}) {
      EXPECT_THROW(row.answer({*values, takes_b ? good : std::vector<double>(), {}}), Error);
      if (takes_b) {
        EXPECT_THROW(row.answer({good, *values, {}}), Error);
      }
    }
  }
}

TEST(StatisticsTable, no_row_answers_with_a_nan_however_odd_the_list) {
  const std::vector<std::vector<double>> lists{
      {0.5},
      {0.5, 0.5},
      {0, 1},
      {0, 0, 0, 0},
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
      {0, 1e-300},
      {1e308, -1e308, 1e308, -1e308, 0},
      {5e-324, 0, 5e-324, 1e-320},
      {0.25, 0.5, 0.25, 0.5, 0.25, 0.5, 0.25, 0.5, 0.25, 0.5, 0.25, 0.5}};
  for (const Statistic& row : statistics())
    for (const std::vector<double>& a : lists) {
      const bool takes_b = row.b.use != ListNeed::Use::none;
      SCOPED_TRACE(testing::Message() << row.name << " of " << json(a).dump());
      try {
        const StatResult result = result_of(row, {a, takes_b ? a : std::vector<double>(), {}});
        for (const auto& [name, values] : named(result))
          for (const double value : values) EXPECT_FALSE(std::isnan(value)) << name;
      } catch (const Error& error) {
        EXPECT_STRNE(error.what(), "");
      }
    }
}

std::string mistake_of(const char* test, const std::vector<double>& a,
                       const std::vector<double>& b = {}) {
  try {
    result_of(find_statistic(test), {a, b, {}});
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(StatisticsTable, numbers_that_overflow_or_vanish_are_told_with_the_value_that_does) {
  const std::string why =
      ": sums, differences or squares of these numbers are too large or too small for double "
      "precision; furthest from 0 is ";
  const std::string cure = "; scale them to lie nearer to 1";
  EXPECT_EQ(mistake_of("mad", {-1.7e308, 1.7e308}),
            "mad" + why + "-1.7e+308, value 1 of 2 in a" + cure);
  EXPECT_EQ(mistake_of("quantile", {1e308, -1e308, 1.7e308, -1.7e308}),
            "quantile" + why + "1.7e+308, value 3 of 4 in a" + cure);
  EXPECT_EQ(mistake_of("moderation", {1.7e308, 1.7e308, 1.7e308}, {4, 4, 4}),
            "moderation" + why + "1.7e+308, value 1 of 3 in a" + cure);
}

TEST(StatisticsTable, a_slope_that_overflows_is_told_with_its_two_points) {
  for (const char* test : {"theil_sen", "mann_kendall"})
    EXPECT_EQ(mistake_of(test, {1, 1e308, -1e308}),
              "Sen's slope: from value 2 (1e+308) at 1 to value 3 (-1e+308) at 2 is beyond double "
              "precision; scale the numbers");
  EXPECT_EQ(mistake_of("theil_sen", {1, 2, 3}, {0, 1e-310, 1}),
            "Sen's slope: from value 1 (1) at 0 to value 2 (2) at 1e-310 is beyond double "
            "precision; scale the numbers");
}

TEST(StatisticsTable, few_values_say_that_the_confidence_is_not_reached) {
  const std::vector<double> five{1, 2, 3, 4, 5};
  for (const char* test : {"median_interval", "hodges_lehmann"}) {
    SCOPED_TRACE(test);
    const StatResult result = find_statistic(test).answer({five, {}, {}});
    EXPECT_EQ(result.interval->lower, 1);
    EXPECT_EQ(result.interval->upper, 5);
    EXPECT_EQ(*result.coverage, 0.9375);
    ASSERT_FALSE(result.notes.empty());
    EXPECT_EQ(result.notes[0],
              "so few values cannot give an interval of 95 %; the outermost one covers 93.75 %");
  }
}

}  // namespace
}  // namespace plumbline
