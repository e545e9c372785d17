#include "cli/tell/number_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "core/error.h"
#include "store/csv/csv_reader.h"
#include "store/file.h"

namespace plumbline {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Why a number is not in the domain; "" if it is.
std::string_view objection(double number, Domain domain) {
  if (!std::isfinite(number)) return "expected a finite number";
  if (domain == Domain::probabilities && !(number >= 0 && number <= 1))
    return "a p value lies in [0, 1]";
  if (domain == Domain::not_negative && number < 0) return "expected 0 or more";
  if (domain == Domain::positive && number <= 0) return "expected a number above 0";
  return "";
}

/// Parses the whole word as a number. Throws Error without its place.
double number_of(std::string_view word, Domain domain) {
  std::string_view digits = word;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double number = 0;
  const auto [stop, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  std::string_view wrong;
  if (problem == std::errc::result_out_of_range)
    wrong = "beyond what a double can hold";
  else if (problem != std::errc() || stop != digits.data() + digits.size())
    wrong = "expected one number a line, as in 1.25e-05";
  else
    wrong = objection(number, domain);
  if (!wrong.empty()) throw Error(fmt::format("found {}, {}", shown(word), wrong));
  return number;
}

/// The line without its comment and surrounding blanks.
std::string_view trimmed(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const auto begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

}  // namespace

std::vector<double> read_numbers(const std::string& path, Domain domain) {
  const std::string text = read_text(path);
  std::string_view rest = text;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  std::vector<double> numbers;
  for (std::size_t line_number = 1; !rest.empty(); ++line_number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::string_view word = trimmed(line);
    if (word.empty()) continue;
    try {
      numbers.push_back(number_of(word, domain));
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}:{}: {}", path, line_number, word.data() - line.data() + 1,
                              error.what()));
    }
  }
  return numbers;
}

}  // namespace plumbline
