#include "core/expression/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "core/error.h"

namespace plumbline {
namespace {

[[noreturn]] void fail_at(std::size_t column, const std::string& what) {
  throw Error("column " + std::to_string(column) + ": " + what);
}

/// Recursive descent over the grammar in the header; one method per rule.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  ExpressionPtr parse_all() {
    ExpressionPtr result = expression();
    skip_blanks();
    if (at_ < text_.size()) fail("an operator or the end");
    return result;
  }

 private:
  static constexpr int kDeepest = 200;  // nested parentheses
  // Operators and calls: of a chain `1 + 1 + …`, all are below each other in the tree.
  static constexpr int kMostOperators = 1000;

  ExpressionPtr expression() {
    if (++depth_ > kDeepest) fail_at(at_ + 1, "the expression is nested too deeply");
    ExpressionPtr condition = any_of_words();
    if (accept("?")) {
      ExpressionPtr yes = expression();
      expect(":");
      ExpressionPtr no = expression();
      condition = node(Expression::Kind::conditional, condition->column, "", {condition, yes, no});
    }
    --depth_;
    return condition;
  }

  ExpressionPtr any_of_words() {
    ExpressionPtr left = all_of_words();
    while (accept_word("or") || accept("||"))
      left = node(Expression::Kind::binary, left->column, "or", {left, all_of_words()});
    return left;
  }

  ExpressionPtr all_of_words() {
    ExpressionPtr left = negation();
    while (accept_word("and") || accept("&&"))
      left = node(Expression::Kind::binary, left->column, "and", {left, negation()});
    return left;
  }

  ExpressionPtr negation() {
    skip_blanks();
    const std::size_t column = at_ + 1;
    const bool is_negated =
        accept_word("not") || (!text_.substr(at_).starts_with("!=") && accept("!"));
    if (!is_negated) return comparison();
    if (++depth_ > kDeepest) fail_at(column, "the expression is nested too deeply");
    ExpressionPtr result = node(Expression::Kind::unary, column, "not", {negation()});
    --depth_;
    return result;
  }

  ExpressionPtr comparison() {
    ExpressionPtr left = sum();
    for (const std::string_view op : {"==", "!=", "<=", ">=", "<", ">"})
      if (accept(op))
        return node(Expression::Kind::binary, left->column, std::string(op), {left, sum()});
    return left;
  }

  ExpressionPtr sum() {
    ExpressionPtr left = term();
    while (true) {
      if (accept("+"))
        left = node(Expression::Kind::binary, left->column, "+", {left, term()});
      else if (accept("-"))
        left = node(Expression::Kind::binary, left->column, "-", {left, term()});
      else
        return left;
    }
  }

  ExpressionPtr term() {
    ExpressionPtr left = unary();
    while (true) {
      skip_blanks();
      if (text_.substr(at_).starts_with("**")) return left;
      std::string op;
      for (const std::string_view candidate : {"//", "*", "/", "%"})
        if (op.empty() && accept(candidate)) op = candidate;
      if (op.empty()) return left;
      left = node(Expression::Kind::binary, left->column, op, {left, unary()});
    }
  }

  ExpressionPtr unary() {
    skip_blanks();
    const std::size_t column = at_ + 1;
    if (!accept("-")) return power();
    if (++depth_ > kDeepest) fail_at(column, "the expression is nested too deeply");
    ExpressionPtr result = node(Expression::Kind::unary, column, "-", {unary()});
    --depth_;
    return result;
  }

  ExpressionPtr power() {
    ExpressionPtr base = postfix();
    if (!accept("**")) return base;
    if (++depth_ > kDeepest) fail_at(base->column, "the expression is nested too deeply");
    ExpressionPtr result = node(Expression::Kind::binary, base->column, "**", {base, unary()});
    --depth_;
    return result;
  }

  ExpressionPtr postfix() {
    ExpressionPtr left = primary();
    while (true) {
      skip_blanks();
      if (accept("("))
        left = call(left);
      else if (is_indexable(*left) && accept("["))
        left = node(Expression::Kind::index, left->column, "", items(left, "]"));
      else
        return left;
    }
  }

  static bool is_indexable(const Expression& e) {
    return e.kind == Expression::Kind::name || e.kind == Expression::Kind::call;
  }

  std::vector<ExpressionPtr> items(ExpressionPtr first, std::string_view close) {
    std::vector<ExpressionPtr> list;
    if (first) list.push_back(std::move(first));
    if (accept(close)) return list;
    do {
      list.push_back(expression());
    } while (accept(","));
    expect(close);
    return list;
  }

  ExpressionPtr call(const ExpressionPtr& callee) {
    count_operator(callee->column);
    auto result = std::make_shared<Expression>();
    result->kind = Expression::Kind::call;
    result->column = callee->column;
    result->operands.push_back(callee);
    if (accept(")")) return result;
    do {
      const std::size_t before = at_;
      const std::string keyword = name_text();
      skip_blanks();
      const auto rest = text_.substr(at_);
      if (!keyword.empty() && rest.starts_with("=") && !rest.starts_with("==")) {
        ++at_;
        result->keywords.emplace_back(keyword, expression());
        continue;
      }
      at_ = before;
      if (!result->keywords.empty()) fail("a keyword argument 'name = …' after the first of them");
      result->operands.push_back(expression());
    } while (accept(","));
    expect(")");
    return result;
  }

  ExpressionPtr primary() {
    skip_blanks();
    const std::size_t column = at_ + 1;
    if (at_ >= text_.size()) fail("a value");
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') return number();
    if (c == '\'' || c == '"') return quoted();
    if (accept("(")) {
      ExpressionPtr inner = expression();
      expect(")");
      return inner;
    }
    if (accept("[")) return node(Expression::Kind::list, column, "", items(nullptr, "]"));
    const std::string name = name_text();
    if (name.empty()) fail("a value");
    if (name == "true" || name == "false") return literal(column, name == "true");
    if (name == "none") return node(Expression::Kind::none, column, "", {});
    return node(Expression::Kind::name, column, name, {});
  }

  ExpressionPtr number() {
    const std::size_t column = at_ + 1;
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    double real = 0;
    const auto as_real = std::from_chars(begin, end, real);
    std::int64_t integer = 0;
    const auto as_integer = std::from_chars(begin, end, integer);
    if (as_real.ec != std::errc()) fail("a number");
    at_ += static_cast<std::size_t>(as_real.ptr - begin);
    const bool is_name_after =
        at_ < text_.size() &&
        (std::isalpha(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_');
    if (is_name_after) fail("an operator after the number");
    if (as_integer.ec == std::errc() && as_integer.ptr == as_real.ptr)
      return literal(column, integer);
    return literal(column, real);
  }

  ExpressionPtr quoted() {
    const std::size_t column = at_ + 1;
    const char quote = text_[at_++];
    const auto close = text_.find(quote, at_);
    if (close == std::string_view::npos) fail_at(column, "this quote is never closed");
    std::string content(text_.substr(at_, close - at_));
    at_ = close + 1;
    return literal(column, std::move(content));
  }

  std::string name_text() {
    skip_blanks();
    std::size_t end = at_;
    const auto is_letter = [this](std::size_t i) {
      return std::isalpha(static_cast<unsigned char>(text_[i])) || text_[i] == '_';
    };
    if (end >= text_.size() || !is_letter(end)) return "";
    while (end < text_.size()) {
      if (is_letter(end) || std::isdigit(static_cast<unsigned char>(text_[end])) ||
          text_[end] == '.')
        ++end;
      else if (text_.substr(end).starts_with("::"))
        end += 2;
      else
        break;
    }
    std::string name(text_.substr(at_, end - at_));
    at_ = end;
    return name;
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  bool accept(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  bool accept_word(std::string_view word) {
    const std::size_t before = at_;
    if (name_text() == word) return true;
    at_ = before;
    return false;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail("'" + std::string(token) + "'");
  }

  [[noreturn]] void fail(const std::string& expected) {
    skip_blanks();
    const std::string found =
        at_ < text_.size() ? "'" + std::string(text_.substr(at_, 12)) + "'" : "the end";
    fail_at(at_ + 1, "found " + found + ", expected " + expected);
  }

  void count_operator(std::size_t column) {
    if (++operators_ > kMostOperators)
      fail_at(column, "the expression has more than " + std::to_string(kMostOperators) +
                          " operators and calls");
  }

  ExpressionPtr node(Expression::Kind kind, std::size_t column, std::string name,
                     std::vector<ExpressionPtr> operands) {
    using Kind = Expression::Kind;
    if (kind != Kind::list && kind != Kind::none && kind != Kind::name) count_operator(column);
    auto result = std::make_shared<Expression>();
    result->kind = kind;
    result->column = column;
    result->name = std::move(name);
    result->operands = std::move(operands);
    return result;
  }

  static ExpressionPtr literal(std::size_t column, Value value) {
    auto result = std::make_shared<Expression>();
    result->kind = Expression::Kind::literal;
    result->column = column;
    result->literal = std::move(value);
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0, operators_ = 0;
};

void collect_names(const Expression& expression, std::vector<std::string>& names) {
  if (expression.kind == Expression::Kind::name) names.push_back(expression.name);
  const bool has_callee =
      expression.kind == Expression::Kind::call || expression.kind == Expression::Kind::index;
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    const bool is_function_name =
        has_callee && i == 0 && expression.operands[i]->kind == Expression::Kind::name;
    if (!is_function_name) collect_names(*expression.operands[i], names);
  }
  for (const auto& [keyword, value] : expression.keywords) collect_names(*value, names);
}

}  // namespace

ExpressionPtr parse_expression(std::string_view text) { return Parser(text).parse_all(); }

bool is_operator_call(const Expression& expression) {
  return expression.kind == Expression::Kind::call &&
         expression.operands[0]->name.find("::") != std::string::npos;
}

std::vector<std::string> names_in(const Expression& expression) {
  std::vector<std::string> names;
  collect_names(expression, names);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& known) {
  // Levenshtein distance (1966); near means at most 2 edits, or a third of the word's letters.
  const auto distance = [&](std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= other.size(); ++j) {
        const std::size_t replaced = diagonal + (word[i - 1] == other[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
      }
    }
    return row.back();
  };
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : known) {
    const std::size_t length_gap =
        name.size() > word.size() ? name.size() - word.size() : word.size() - name.size();
    if (length_gap >= best_distance) continue;
    if (const std::size_t d = distance(name); d < best_distance && d < name.size()) {
      best_distance = d;
      best = name;
    }
  }
  return best;
}

std::string no_such_argument(const std::string& op, const std::string& name,
                             const std::vector<std::string>& known) {
  std::string text = "the operator '" + op + "' has no argument '" + name + "'; ";
  const std::string near = nearest_name(name, known);
  text += near.empty() ? "its arguments: " : "did you mean '" + near + "'? Its arguments: ";
  for (std::size_t i = 0; i < known.size(); ++i) text += (i == 0 ? "" : ", ") + known[i];
  return text;
}

}  // namespace plumbline
