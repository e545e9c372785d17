/// The one expression grammar: costs, conditions, argument lists, references.
///
///   expr   := or ['?' expr ':' expr]
///   or     := and {('or' | '||') and}        and := not {('and' | '&&') not}
///   not    := ('not' | '!') not | compare    compare := sum [('==' '!=' '<' '<=' '>' '>=') sum]
///   sum    := term {('+' | '-') term}        term := unary {('*' | '/' | '//' | '%') unary}
///   unary  := '-' unary | power              power := postfix ['**' unary]
///   postfix:= primary {'(' args ')' | '[' items ']'}
///   primary:= number | 'text' | "text" | true | false | none | name | '(' expr ')' | '[' items ']'
///   name   := letter {letter | digit | '_' | '.' | '::'}     args := expr | name '=' expr, …
///
/// This parses expressions, and evaluates those with a scalar result. Only the worker knows what a
/// tensor expression (`randn[rows, cols]`, `aten::exp(x)`) means.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value.h"

namespace plumbline {

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

struct Expression {
  enum class Kind { literal, none, name, list, call, index, unary, binary, conditional };
  Kind kind = Kind::none;
  Value literal;                        // literal
  std::string name;                     // name; operator of unary and binary
  std::vector<ExpressionPtr> operands;  // operands; list items; call and index: callee first
  std::vector<std::pair<std::string, ExpressionPtr>> keywords;  // call
  std::size_t column = 0;  // of its first character in the text, from 1
};

/// Parses the whole text. Throws Error "column N: found …, expected …".
ExpressionPtr parse_expression(std::string_view text);

/// Value of a name; nothing where the name is unknown.
using Lookup = std::function<std::optional<Value>(std::string_view name)>;

/// Scalar value. Integers stay integers under + - * // % ** and exact '/'. Functions: min, max,
/// abs, floor, ceil, sqrt, log2, ceil_div(a, b), sizeof(dtype name) in bytes. Throws Error with the
/// column for unknown names, wrong types, division by zero, integer overflow, and expressions that
/// are not scalar.
Value evaluate(const Expression& expression, const Lookup& lookup);

/// `evaluate` over parameters; the error for an unknown name suggests the nearest parameter.
Value evaluate(const Expression& expression, const Params& params);
Value evaluate(std::string_view text, const Params& params);

/// Evaluates and converts the result; throws Error if it has another type.
double evaluate_number(std::string_view text, const Params& params);
bool evaluate_condition(const Expression& expression, const Params& params);

/// Whether the expression calls an operator of LibTorch's dispatcher: `aten::exp(x)`.
bool is_operator_call(const Expression& expression);

/// All variable names in the expression, each once, sorted.
std::vector<std::string> names_in(const Expression& expression);

/// The entry of `known` nearest to `word` by edit distance, if it is near enough to be a typing
/// error; "" otherwise.
std::string nearest_name(std::string_view word, const std::vector<std::string>& known);

/// "the operator 'aten::sum' has no argument 'dims'; did you mean 'dim'? Its arguments: self, dim".
std::string no_such_argument(const std::string& op, const std::string& name,
                             const std::vector<std::string>& known);

}  // namespace plumbline
