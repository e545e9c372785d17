#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "suite/yaml/yaml.h"

namespace plumbline {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

std::string_view without_sign(std::string_view text) {
  return text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
}

std::int64_t integer(std::string_view text, std::string_view digits, int base) {
  std::int64_t number = 0;
  // from_chars reads the minus itself, so that the smallest integer is in range
  if (text.starts_with('-')) digits = text;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error == std::errc::result_out_of_range)
    throw Error("the integer " + std::string(text) +
                " does not fit into 64 bits; quote it if it is meant as a text");
  return number;
}

/// [-+]? ( '.' digits | digits [ '.' digits? ] ) [ (e|E) [-+]? digits ]
bool is_float(std::string_view text) {
  text = without_sign(text);
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i - from;
  };
  const std::size_t whole = digits();
  std::size_t fraction = 0;
  if (i < text.size() && text[i] == '.') {
    ++i;
    fraction = digits();
  }
  if (whole + fraction == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

}  // namespace

std::optional<Value> core_schema_value(std::string_view text) {
  const std::string_view body = without_sign(text);
  if (!body.empty() && std::ranges::all_of(body, is_digit)) return integer(text, body, 10);
  if (text.empty() || is_one_of(text, {"~", "null", "Null", "NULL"})) return std::nullopt;
  if (is_one_of(text, {"true", "True", "TRUE"})) return true;
  if (is_one_of(text, {"false", "False", "FALSE"})) return false;
  const auto based = [&](std::string_view prefix, std::string_view digits) {
    return text.size() > 2 && text.starts_with(prefix) &&
           text.find_first_not_of(digits, 2) == std::string_view::npos;
  };
  if (based("0o", "01234567")) return integer(text, text.substr(2), 8);
  if (based("0x", "0123456789abcdefABCDEF")) return integer(text, text.substr(2), 16);
  if (is_one_of(body, {".inf", ".Inf", ".INF"})) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return text.starts_with('-') ? -kInfinity : kInfinity;
  }
  if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return std::nan("");
  if (is_float(text)) {
    const std::string_view number = text.starts_with('+') ? body : text;
    double real = 0;
    std::from_chars(number.data(), number.data() + number.size(), real);
    return real;
  }
  return std::string(text);
}

}  // namespace plumbline
