/// Scalar values of parameters, and their canonical text.
///
/// Knows no YAML, CSV or JSON: their readers produce Values, their writers take the text.
#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace plumbline {

using Value = std::variant<bool, std::int64_t, double, std::string>;

/// Parameters of a case by name; nested ones are flattened with dots (`stream.count`).
/// Sorted, because the order decides the case id.
using Params = std::map<std::string, Value, std::less<>>;

/// Canonical text: `true`, `12`, the shortest decimal that reads back as the same double
/// (an integral double reads like an integer: 2.0 is `2`), strings as they are.
std::string to_text(const Value& value);

/// The shortest decimal that reads back as the same double; `nan`, `inf`, `-inf`.
std::string shortest_text(double number);

/// Reads the whole of `text` as a number, locale-free; false where it is not a number or out of
/// range.
bool parse_number(std::string_view text, double& number);

/// The same for an integer.
template <class Integer>
bool parse_integer(std::string_view text, Integer& value) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

/// The kind of a value in words, for error messages: "a boolean", "an integer", "a number",
/// "a string".
std::string_view kind_in_words(const Value& value);

/// Whether two parameter values are equal; numbers are compared by value, whatever their type.
bool same_value(const Value& a, const Value& b);

}  // namespace plumbline
