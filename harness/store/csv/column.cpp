#include "store/csv/column.h"

#include <algorithm>

namespace plumbline {
namespace {

/// Calls `take` with each piece between separators; false as soon as it says so.
template <class Taker>
bool split(std::string_view text, char separator, Taker take) {
  for (;;) {
    const std::size_t end = text.find(separator);
    if (!take(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
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

bool parse_number(std::string_view text, double& number) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

void append_numbers(std::string& out, std::span<const double> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += ';';
    append_number(out, numbers[i]);
  }
}

bool parse_numbers(std::string_view text, std::vector<double>& numbers) {
  numbers.clear();
  if (text.empty()) return true;
  numbers.reserve(static_cast<std::size_t>(std::ranges::count(text, ';')) + 1);
  return split(text, ';',
               [&](std::string_view piece) { return parse_number(piece, numbers.emplace_back()); });
}

void append_integers(std::string& out, std::span<const std::int64_t> integers) {
  for (std::size_t i = 0; i < integers.size(); ++i) {
    if (i > 0) out += ';';
    out += std::to_string(integers[i]);
  }
}

bool parse_integers(std::string_view text, std::vector<std::int64_t>& integers) {
  integers.clear();
  if (text.empty()) return true;
  return split(text, ';', [&](std::string_view piece) {
    return parse_integer(piece, integers.emplace_back());
  });
}

void append_names(std::string& out, std::span<const std::string> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ';';
    out += names[i];
  }
}

bool parse_names(std::string_view text, std::vector<std::string>& names) {
  names.clear();
  if (text.empty()) return true;
  return split(text, ';', [&](std::string_view piece) {
    names.emplace_back(piece);
    return !piece.empty();
  });
}

void append_texts(std::string& out, std::span<const std::string> texts) {
  if (std::ranges::all_of(texts, &std::string::empty)) return;
  append_names(out, texts);
}

void parse_texts(std::string_view text, std::vector<std::string>& texts) {
  texts.clear();
  if (text.empty()) return;
  split(text, ';', [&](std::string_view piece) {
    texts.emplace_back(piece);
    return true;
  });
}

void append_seconds(std::string& out, const NamedSeconds& seconds) {
  const std::size_t begin = out.size();
  for (const auto& [name, value] : seconds) {
    if (out.size() > begin) out += ';';
    out += name + '=';
    append_number(out, value);
  }
}

bool parse_seconds(std::string_view text, NamedSeconds& seconds) {
  seconds.clear();
  if (text.empty()) return true;
  return split(text, ';', [&](std::string_view piece) {
    const std::size_t equals = piece.find('=');
    if (equals == 0 || equals == std::string_view::npos) return false;
    return parse_number(piece.substr(equals + 1), seconds[std::string(piece.substr(0, equals))]);
  });
}

std::string_view parse_status(std::string_view text, Status& status) {
  static const std::string kExpected = [] {
    std::string words = "one of";
    for (const std::string_view name : kStatusNames) words.append(" ").append(name);
    return words;
  }();
  const std::optional<Status> found = status_named(text);
  if (!found) return kExpected;
  status = *found;
  return "";
}

}  // namespace plumbline
