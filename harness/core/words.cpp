#include "core/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace plumbline {

std::string duration_in_words(double seconds) {
  const auto whole = static_cast<long>(std::lround(std::clamp(seconds, 1.0, 1e9)));
  if (whole < 100) return std::to_string(whole) + " s";
  const long minutes = (whole + 30) / 60;
  if (minutes < 60) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string power_of_ten_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", value);
  std::string shown = text;
  const std::size_t exponent = shown.find('e') + 1;
  const bool is_negative = shown[exponent] == '-';
  shown.erase(exponent, 1 + (shown[exponent + 1] == '0'));
  return is_negative ? shown.insert(exponent, 1, '-') : shown;
}

std::string percent_digits(double percent, int decimals) {
  constexpr double kLargestPlain = 1e4, kThousand = 1e3;
  constexpr std::string_view kThinSpace = "\u2009";
  const double size = std::abs(percent);
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, std::min(size, kLargestPlain));
  std::string shown = text;
  const std::size_t whole = std::min(shown.find('.'), shown.size());
  if (whole > 4) return power_of_ten_text(size);
  return size < kThousand && whole < 4 ? shown : shown.insert(1, kThinSpace);
}

std::string shell_command(const std::vector<std::string>& words) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace plumbline
