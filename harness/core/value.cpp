#include "core/value.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace plumbline {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

std::string shortest_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  char buffer[40];
  const bool integral = number == std::trunc(number) && std::abs(number) < 1e15;
  const auto end =
      integral ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(number))
               : std::to_chars(buffer, buffer + sizeof buffer, number);
  return std::string(buffer, end.ptr);
}

bool parse_number(std::string_view text, double& number) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

std::string to_text(const Value& value) {
  return std::visit(
      Overloaded{[](bool b) { return std::string(b ? "true" : "false"); },
                 [](std::int64_t i) { return std::to_string(i); },
                 [](double d) { return shortest_text(d); }, [](const std::string& s) { return s; }},
      value);
}

std::string_view kind_in_words(const Value& value) {
  constexpr std::string_view kWords[] = {"a boolean", "an integer", "a number", "a string"};
  return kWords[value.index()];
}

bool same_value(const Value& a, const Value& b) {
  const auto number = [](const Value& value) -> double {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return double(*integer);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return std::numeric_limits<double>::quiet_NaN();
  };
  if (a.index() == b.index()) return a == b;
  return number(a) == number(b);  // NaN (here: not a number at all) equals nothing
}

}  // namespace plumbline
