#include "core/expression/expression.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace plumbline {
namespace {

const Params kParams{
    {"rows", std::int64_t{6}}, {"cols", std::int64_t{4}}, {"eps", 0.5},
    {"dtype", "float16"},      {"causal", true},          {"stream.count", std::int64_t{2}}};

std::string value_of(const std::string& text) { return to_text(evaluate(text, kParams)); }

std::string error_of(const std::string& text) {
  try {
    evaluate(text, kParams);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Expression, ArithmeticFollowsPrecedenceAndKeepsIntegers) {
  const std::pair<const char*, const char*> kCases[] = {
      {"1 + 2 * 3", "7"},      {"(1 + 2) * 3", "9"},
      {"2 ** 3 ** 2", "512"},  {"-2 ** 2", "-4"},
      {"7 // 2", "3"},         {"-7 // 2", "-4"},
      {"-7 % 3", "2"},         {"7 / 2", "3.5"},
      {"6 / 2", "3"},          {"1 - 2 - 3", "-4"},
      {"rows * cols", "24"},   {"2 * rows * cols * sizeof(dtype)", "96"},
      {"1e3", "1000"},         {"1.5 + 1", "2.5"},
      {"ceil_div(7, 2)", "4"}, {"max(rows, cols, 9)", "9"},
      {"floor(2.7)", "2"},     {"ceil(2.1)", "3"},
      {"log2(8)", "3"},        {"sqrt(16)", "4"},
      {"abs(-3)", "3"},        {"stream.count + 1", "3"},
      {"2**-1", "0.5"},        {"5.0 // 2", "2"}};
  for (const auto& [text, expected] : kCases) EXPECT_EQ(value_of(text), expected) << text;
}

TEST(Expression, ConditionsCompareNumbersAndTexts) {
  const std::pair<const char*, const char*> kCases[] = {
      {"rows > cols", "true"},           {"rows >= 6 and cols < 4", "false"},
      {"rows == 6.0", "true"},           {"dtype == 'float16'", "true"},
      {"dtype != \"float16\"", "false"}, {"not causal", "false"},
      {"causal ? rows : cols", "6"},     {"false or rows % 2 == 0", "true"},
      {"!causal || rows == 6", "true"},  {"causal && true", "true"}};
  for (const auto& [text, expected] : kCases) EXPECT_EQ(value_of(text), expected) << text;
}

TEST(Expression, MistakesAreLocatedAndSayWhatIsAllowed) {
  const std::pair<const char*, const char*> kCases[] = {
      {"rows +", "column 7: found the end, expected a value"},
      {"rows cols", "column 6: found 'cols', expected an operator or the end"},
      {"2x", "column 2: found 'x', expected an operator after the number"},
      {"(1", "column 3: found the end, expected ')'"},
      {"'abc", "column 1: this quote is never closed"},
      {"1 / 0", "column 1: division by zero"},
      {"9223372036854775807 + 1", "column 1: the result is too large for an integer"},
      {"-(0 - 9223372036854775807 - 1)", "column 1: the result is too large for an integer"},
      {"dtype + 1", "column 1: found a string 'float16', expected a number"},
      {"[1, 2]", "column 1: expected a number, text or condition here, not a list or tensor"},
      {"row * 2", "unknown name 'row'; did you mean 'rows'?"},
      {"sizeof('float17')", "column 1: sizeof takes the name of a dtype, found 'float17'"}};
  for (const auto& [text, expected] : kCases) EXPECT_EQ(error_of(text), expected) << text;
}

TEST(Expression, ShortCircuitLeavesTheOtherSideUnread) {
  EXPECT_EQ(value_of("causal or nonsense"), "true");
  EXPECT_EQ(value_of("false and 1 / 0 > 1"), "false");
}

TEST(Expression, NestingIsBoundedInsteadOfOverflowingTheStack) {
  const std::string deep(100000, '(');
  EXPECT_NE(error_of(deep).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error_of(std::string(100000, '-') + "1").find("nested too deeply"), std::string::npos);
  std::string negations;
  for (int i = 0; i < 100000; ++i) negations += "not ";
  EXPECT_NE(error_of(negations + "true").find("nested too deeply"), std::string::npos);
  std::string powers;
  for (int i = 0; i < 100000; ++i) powers += "1**";
  EXPECT_NE(error_of(powers + "1").find("nested too deeply"), std::string::npos);
}

TEST(Expression, AChainOfOperatorsIsBoundedInsteadOfOverflowingTheStack) {
  for (const char* link : {"1 + ", "1 * ", "true and ", "true or "}) {
    std::string chain;
    for (int i = 0; i < 999; ++i) chain += link;
    parse_expression(chain + "1");
    for (int i = 0; i < 100000; ++i) chain += link;
    EXPECT_NE(error_of(chain + "1").find("more than 1000 operators"), std::string::npos) << link;
  }
  std::string calls = "f";
  for (int i = 0; i < 100000; ++i) calls += "()";
  EXPECT_NE(error_of(calls).find("more than 1000 operators"), std::string::npos);
}

TEST(Expression, NamesAreThoseOfVariablesNotOfFunctions) {
  const auto tree = parse_expression("aten::div(x, aten::sum(x, [-1], keepdim = flag)) ");
  EXPECT_EQ(names_in(*tree), (std::vector<std::string>{"flag", "x"}));
  EXPECT_EQ(names_in(*parse_expression("randn(dtype='float32')[rows, cols]")),
            (std::vector<std::string>{"cols", "rows"}));
}

TEST(Expression, NearestNameOffersSlipsAndNothingElse) {
  const std::vector<std::string> known{"rows", "cols", "direction"};
  EXPECT_EQ(nearest_name("row", known), "rows");
  EXPECT_EQ(nearest_name("directon", known), "direction");
  EXPECT_EQ(nearest_name("banana", known), "");
}

}  // namespace
}  // namespace plumbline
