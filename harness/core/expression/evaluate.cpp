#include <algorithm>
#include <cmath>
#include <functional>

#include "core/dtype.h"
#include "core/error.h"
#include "core/expression/expression.h"

namespace plumbline {
namespace {

[[noreturn]] void fail(const Expression& at, const std::string& what) {
  throw Error("column " + std::to_string(at.column) + ": " + what);
}

double number(const Expression& at, const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return double(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  fail(at, "found " + std::string(kind_in_words(value)) + " '" + to_text(value) +
               "', expected a number");
}

bool boolean(const Expression& at, const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  fail(at, "found " + std::string(kind_in_words(value)) + " '" + to_text(value) +
               "', expected true or false");
}

std::int64_t floor_division(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

Value integer_arithmetic(const Expression& e, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = false;
  const bool divides = e.name == "/" || e.name == "//" || e.name == "%";
  if (divides && b == 0) fail(e, "division by zero");
  if (divides && a == INT64_MIN && b == -1) fail(e, "the result is too large for an integer");
  if (e.name == "+") overflows = __builtin_add_overflow(a, b, &result);
  if (e.name == "-") overflows = __builtin_sub_overflow(a, b, &result);
  if (e.name == "*") overflows = __builtin_mul_overflow(a, b, &result);
  if (e.name == "//") result = floor_division(a, b);
  if (e.name == "%") result = a - floor_division(a, b) * b;
  if (e.name == "/") {
    if (a % b != 0) return double(a) / double(b);
    result = a / b;
  }
  if (e.name == "**") {
    if (b < 0) return std::pow(double(a), double(b));
    result = 1;
    if (a == 0 || a == 1) return b == 0 ? 1 : a;
    if (a == -1) return std::int64_t{b % 2 == 0 ? 1 : -1};
    for (std::int64_t i = 0; i < b && !overflows; ++i)
      overflows = __builtin_mul_overflow(result, a, &result);
  }
  if (overflows) fail(e, "the result is too large for an integer");
  return result;
}

Value real_arithmetic(const Expression& e, double a, double b) {
  if (e.name == "+") return a + b;
  if (e.name == "-") return a - b;
  if (e.name == "*") return a * b;
  if (e.name == "**") return std::pow(a, b);
  if (b == 0) fail(e, "division by zero");
  if (e.name == "/") return a / b;
  if (e.name == "//") return std::floor(a / b);
  return a - std::floor(a / b) * b;
}

Value comparison(const Expression& e, const Value& a, const Value& b) {
  if (e.name == "==") return same_value(a, b);
  if (e.name == "!=") return !same_value(a, b);
  if (a.index() == 3 && b.index() == 3) fail(e, "texts are compared with == and != only");
  const double x = number(*e.operands[0], a);
  const double y = number(*e.operands[1], b);
  if (e.name == "<") return x < y;
  if (e.name == "<=") return x <= y;
  if (e.name == ">") return x > y;
  return x >= y;
}

struct Function {
  std::string_view name;
  std::size_t arguments_min, arguments_max;
  std::function<Value(const Expression&, const std::vector<Value>&)> apply;
};

Value rounded(double value, const Expression& e) {
  if (!(std::abs(value) < 9.2e18)) fail(e, "the result is too large for an integer");
  return static_cast<std::int64_t>(value);
}

Value extreme(const Expression& e, const std::vector<Value>& values, bool largest) {
  const Value* best = &values.front();
  for (const Value& value : values) {
    const double difference = number(e, value) - number(e, *best);
    if (largest ? difference > 0 : difference < 0) best = &value;
  }
  number(e, *best);
  return *best;
}

const std::vector<Function>& functions() {
  using Values = std::vector<Value>;
  static const std::vector<Function> kFunctions{
      {"min", 1, 16, [](const Expression& e, const Values& v) { return extreme(e, v, false); }},
      {"max", 1, 16, [](const Expression& e, const Values& v) { return extreme(e, v, true); }},
      {"abs", 1, 1,
       [](const Expression& e, const Values& v) -> Value {
         if (const auto* i = std::get_if<std::int64_t>(&v[0])) return *i < 0 ? -*i : *i;
         return std::abs(number(e, v[0]));
       }},
      {"floor", 1, 1,
       [](const Expression& e, const Values& v) {
         return rounded(std::floor(number(e, v[0])), e);
       }},
      {"ceil", 1, 1,
       [](const Expression& e, const Values& v) { return rounded(std::ceil(number(e, v[0])), e); }},
      {"sqrt", 1, 1,
       [](const Expression& e, const Values& v) -> Value {
         if (number(e, v[0]) < 0) fail(e, "square root of a negative number");
         return std::sqrt(number(e, v[0]));
       }},
      {"log2", 1, 1,
       [](const Expression& e, const Values& v) -> Value {
         if (number(e, v[0]) <= 0) fail(e, "logarithm of a number that is not positive");
         return std::log2(number(e, v[0]));
       }},
      {"ceil_div", 2, 2,
       [](const Expression& e, const Values& v) -> Value {
         if (!std::holds_alternative<std::int64_t>(v[0]) ||
             !std::holds_alternative<std::int64_t>(v[1]))
           fail(e, "ceil_div takes two integers");
         const auto a = std::get<std::int64_t>(v[0]);
         const auto b = std::get<std::int64_t>(v[1]);
         if (b == 0) fail(e, "division by zero");
         if (a == INT64_MIN) fail(e, "the result is too large for an integer");
         return -floor_division(-a, b);
       }},
      {"sizeof", 1, 1,
       [](const Expression& e, const Values& v) -> Value {
         const auto* name = std::get_if<std::string>(&v[0]);
         const auto dtype = name ? dtype_named(*name) : std::nullopt;
         if (!dtype) fail(e, "sizeof takes the name of a dtype, found '" + to_text(v[0]) + "'");
         return std::int64_t{info(*dtype).bytes};
       }},
  };
  return kFunctions;
}

Value call(const Expression& e, const Lookup& lookup) {
  const Expression& callee = *e.operands[0];
  const auto found = std::ranges::find(functions(), callee.name, &Function::name);
  if (callee.kind != Expression::Kind::name || found == functions().end()) {
    std::string known;
    for (const Function& function : functions())
      known += (known.empty() ? "" : ", ") + std::string(function.name);
    fail(e, "'" + callee.name + "' is not a function of numbers; allowed: " + known);
  }
  if (!e.keywords.empty()) fail(e, callee.name + " takes no keyword arguments");
  const std::size_t given = e.operands.size() - 1;
  if (given < found->arguments_min || given > found->arguments_max)
    fail(e, callee.name + " takes " + std::to_string(found->arguments_min) +
                (found->arguments_max > found->arguments_min ? " or more" : "") +
                " argument(s), found " + std::to_string(given));
  std::vector<Value> values;
  for (std::size_t i = 1; i < e.operands.size(); ++i)
    values.push_back(evaluate(*e.operands[i], lookup));
  return found->apply(e, values);
}

Value binary(const Expression& e, const Lookup& lookup) {
  const Value a = evaluate(*e.operands[0], lookup);
  if (e.name == "and" || e.name == "or") {
    const bool left = boolean(*e.operands[0], a);
    if (left == (e.name == "or")) return left;
    return boolean(*e.operands[1], evaluate(*e.operands[1], lookup));
  }
  const Value b = evaluate(*e.operands[1], lookup);
  if (e.name == "==" || e.name == "!=" || e.name[0] == '<' || e.name[0] == '>')
    return comparison(e, a, b);
  if (std::holds_alternative<std::int64_t>(a) && std::holds_alternative<std::int64_t>(b))
    return integer_arithmetic(e, std::get<std::int64_t>(a), std::get<std::int64_t>(b));
  return real_arithmetic(e, number(*e.operands[0], a), number(*e.operands[1], b));
}

}  // namespace

Value evaluate(const Expression& e, const Lookup& lookup) {
  switch (e.kind) {
    case Expression::Kind::literal:
      return e.literal;
    case Expression::Kind::name: {
      auto value = lookup(e.name);
      if (!value) fail(e, "unknown name '" + e.name + "'");
      return *std::move(value);
    }
    case Expression::Kind::call:
      return call(e, lookup);
    case Expression::Kind::unary: {
      const Value value = evaluate(*e.operands[0], lookup);
      if (e.name == "not") return !boolean(*e.operands[0], value);
      if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        if (*integer == INT64_MIN) fail(e, "the result is too large for an integer");
        return -*integer;
      }
      return -number(*e.operands[0], value);
    }
    case Expression::Kind::binary:
      return binary(e, lookup);
    case Expression::Kind::conditional:
      return evaluate(
          *e.operands[boolean(*e.operands[0], evaluate(*e.operands[0], lookup)) ? 1 : 2], lookup);
    case Expression::Kind::list:
    case Expression::Kind::index:
    case Expression::Kind::none:
      break;
  }
  fail(e, "expected a number, text or condition here, not a list or tensor");
}

Value evaluate(const Expression& expression, const Params& params) {
  return evaluate(expression, [&](std::string_view name) -> std::optional<Value> {
    if (const auto found = params.find(name); found != params.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [key, value] : params) known.push_back(key);
    const std::string near = nearest_name(name, known);
    throw Error("unknown name '" + std::string(name) + "'" +
                (near.empty() ? "" : "; did you mean '" + near + "'?"));
  });
}

Value evaluate(std::string_view text, const Params& params) {
  return evaluate(*parse_expression(text), params);
}

double evaluate_number(std::string_view text, const Params& params) {
  const ExpressionPtr expression = parse_expression(text);
  return number(*expression, evaluate(*expression, params));
}

bool evaluate_condition(const Expression& expression, const Params& params) {
  return boolean(expression, evaluate(expression, params));
}

}  // namespace plumbline
