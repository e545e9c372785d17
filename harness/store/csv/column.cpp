#include "store/csv/column.h"

#include <charconv>
#include <cmath>

namespace plumbline {
namespace {

constexpr std::string_view kSamplesForm = "numbers with ';' between samples and '|' between blocks";

/// Calls `take` with each piece between ';' and stops once it returns false. An empty text has no
/// pieces.
template <class Taker>
bool split(std::string_view text, Taker take) {
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    if (!take(text.substr(0, end))) return false;
    if (end == text.npos) return true;
    text.remove_prefix(end + 1);
    if (text.empty()) return take(text);
  }
  return true;
}

template <class List, class Append>
void append_list(const List& list, std::string& out, Append append) {
  bool is_first = true;
  for (const auto& item : list) {
    if (!is_first) out += ';';
    is_first = false;
    append(item);
  }
}

void append_numbers(std::span<const double> numbers, std::string& out) {
  append_list(numbers, out, [&](double number) { append_number(out, number); });
}

bool parse_numbers(std::string_view text, std::vector<double>& numbers) {
  numbers.clear();
  if (text.empty()) return true;
  numbers.reserve(static_cast<std::size_t>(std::ranges::count(text, ';')) + 1);
  return split(text,
               [&](std::string_view piece) { return parse_number(piece, numbers.emplace_back()); });
}

template <class Integer>
std::string_view parse_count(std::string_view field, Integer& integer, int lowest) {
  if (parse_integer(field, integer) && std::cmp_greater_equal(integer, lowest)) return "";
  return lowest == 0 ? "an integer from 0" : "an integer from 1";
}

}  // namespace

void append_number(std::string& out, double number) {
  if (std::isnan(number)) {
    out += "nan";  // to_chars would print its sign
    return;
  }
  char buffer[40];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

void print_field(const std::string& text, std::string& out) { out += text; }

void print_field(std::int64_t integer, std::string& out) { out += std::to_string(integer); }

void print_field(std::size_t count, std::string& out) { out += std::to_string(count); }

void print_field(double number, std::string& out) {
  if (!std::isnan(number)) append_number(out, number);
}

void print_field(const std::optional<double>& number, std::string& out) {
  if (number) print_field(*number, out);
}

void print_field(Status status, std::string& out) { out += name_of(status); }

void print_field(const std::vector<double>& numbers, std::string& out) {
  append_numbers(numbers, out);
}

void print_field(const std::vector<std::int64_t>& integers, std::string& out) {
  append_list(integers, out, [&](std::int64_t integer) { print_field(integer, out); });
}

void print_field(const std::vector<std::string>& texts, std::string& out) {
  if (std::ranges::all_of(texts, &std::string::empty)) return;
  append_list(texts, out, [&](const std::string& text) { out += text; });
}

void print_field(const NamedSeconds& seconds, std::string& out) {
  append_list(seconds, out, [&](const auto& named) {
    out += named.first + '=';
    append_number(out, named.second);
  });
}

void print_field(const SampleSet& samples, std::string& out) {
  for (std::size_t i = 0; i < samples.blocks(); ++i) {
    if (i > 0) out += '|';
    append_numbers(samples.block(i), out);
  }
}

std::string_view parse_field(std::string_view field, std::string& text) {
  text.assign(field);
  return "";
}

std::string_view parse_field(std::string_view field, std::int64_t& integer) {
  return parse_count(field, integer, 0);
}

std::string_view parse_field(std::string_view field, std::size_t& count) {
  return parse_count(field, count, 0);
}

std::string_view parse_field(std::string_view field, double& number) {
  number = kUnknown;
  if (field.empty() || parse_number(field, number)) return "";
  return "a number, or nothing where it is unknown";
}

std::string_view parse_field(std::string_view field, std::optional<double>& number) {
  double read;
  const std::string_view expected = parse_field(field, read);
  number = field.empty() ? std::nullopt : std::optional(read);
  return expected;
}

std::string_view parse_field(std::string_view field, Status& status) {
  static const std::string kExpected = [] {
    std::string words = "one of";
    for (const std::string_view name : kStatusNames) words.append(" ").append(name);
    return words;
  }();
  const std::optional<Status> found = status_named(field);
  if (!found) return kExpected;
  status = *found;
  return "";
}

std::string_view parse_field(std::string_view field, std::vector<double>& numbers) {
  return parse_numbers(field, numbers) ? "" : "numbers with ';' between them";
}

std::string_view parse_field(std::string_view field, std::vector<std::int64_t>& integers) {
  integers.clear();
  const bool fine = split(
      field, [&](std::string_view piece) { return parse_integer(piece, integers.emplace_back()); });
  return fine ? "" : "integers with ';' between them";
}

std::string_view parse_field(std::string_view field, std::vector<std::string>& texts) {
  texts.clear();
  split(field, [&](std::string_view piece) {
    texts.emplace_back(piece);
    return true;
  });
  return "";
}

std::string_view parse_field(std::string_view field, NamedSeconds& seconds) {
  seconds.clear();
  const bool fine = split(field, [&](std::string_view piece) {
    const std::size_t equals = piece.find('=');
    if (equals == 0 || equals == piece.npos) return false;
    return parse_number(piece.substr(equals + 1), seconds[std::string(piece.substr(0, equals))]);
  });
  return fine ? "" : "name=seconds with ';' between";
}

std::string_view parse_field(std::string_view field, SampleSet& samples) {
  SampleSet read;
  std::vector<double> block;
  while (!field.empty()) {
    const std::size_t end = field.find('|');
    const bool fine = end > 0 && end + 1 != field.size();
    if (!fine || !parse_numbers(field.substr(0, end), block)) return kSamplesForm;
    read.add_block(block);
    field.remove_prefix(end == field.npos ? field.size() : end + 1);
  }
  samples = read;  // copied, because the copy has no spare capacity
  return "";
}

std::string_view parse_from_one(std::string_view field, std::int64_t& integer) {
  return parse_count(field, integer, 1);
}

std::string_view parse_names(std::string_view field, std::vector<std::string>& names) {
  parse_field(field, names);
  return std::ranges::find(names, "") == names.end() ? "" : "names with ';' between them";
}

}  // namespace plumbline
