#include "reports/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/moment.h"
#include "core/words.h"

namespace plumbline {
namespace {

constexpr std::string_view kThinSpace = "\u2009";
constexpr std::string_view kMinus = "\u2212";
constexpr std::string_view kEnDash = "\u2013";
constexpr std::string_view kNoBreak = "\u00A0";  // between a number and its unit
constexpr int kMostDigits = 4;
// Numbers beyond these limits are shown with a power of ten.
constexpr int kMostDecimals = 9;
constexpr double kLargestPlain = 1e15;

constexpr std::array<std::string_view, 9> kPrefixes{"p", "n", "µ", "m", "", "k", "M", "G", "T"};
constexpr int kNoPrefix = 4;

/// A unit and the prefixes that people use with it.
struct KnownUnit {
  std::string_view unit;
  int lowest, highest;  // index into kPrefixes
};
constexpr std::array<KnownUnit, 7> kUnits{{
    {"s", 1, 4},
    {"B", 4, 8},
    {"J", 2, 5},
    {"W", 3, 5},
    {"Hz", 4, 7},
    {"FLOP/s", 6, 8},
    {"B/s", 6, 8},
}};

int magnitude_of(double shown) { return int(std::floor(std::log10(std::abs(shown)))); }

/// Decimals that an uncertainty of `half_width` supports: two of its digits up to 3.5, else one
/// (the Particle Data Group's rule).
int decimals_of_uncertainty(double half_width) { return -magnitude_of(half_width / 3.55); }

}  // namespace

Scale scale_for(std::string_view unit, double magnitude) {
  const auto known =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& k) { return k.unit == unit; });
  if (known == kUnits.end()) return {1, unit == "1" ? std::string() : std::string(unit)};
  int prefix = kNoPrefix;
  if (std::isfinite(magnitude) && magnitude != 0)
    prefix += int(std::floor(std::log10(std::abs(magnitude)) / 3));
  prefix = std::clamp(prefix, known->lowest, known->highest);
  return {std::pow(10.0, 3 * (kNoPrefix - prefix)),
          std::string(kPrefixes[std::size_t(prefix)]) + std::string(unit)};
}

int decimals_for(double shown, std::optional<double> half_width) {
  if (!std::isfinite(shown) || shown == 0) return 0;
  const int most = kMostDigits - 1 - magnitude_of(shown);
  int wanted = most - 1;
  if (half_width && std::isfinite(*half_width))
    // A half width below the normal range has no magnitude.
    wanted = *half_width >= std::numeric_limits<double>::min()
                 ? decimals_of_uncertainty(*half_width)
                 : most;
  return std::max(0, std::min(wanted, most));
}

std::string number_text(double shown, int decimals) {
  if (!std::isfinite(shown)) return std::string(kEnDash);
  const bool is_extreme = decimals > kMostDecimals || std::abs(shown) >= kLargestPlain;
  if (is_extreme && shown != 0)
    return (shown < 0 ? std::string(kMinus) : "") + power_of_ten_text(std::abs(shown));
  const std::string plain = fmt::format("{:.{}f}", std::abs(shown), is_extreme ? 0 : decimals);
  const std::size_t whole = std::min(plain.find('.'), plain.size());
  const bool is_zero = plain.find_first_of("123456789") == std::string::npos;
  std::string text(shown < 0 && !is_zero ? kMinus : "");
  for (std::size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % 3 == 0) text += kThinSpace;
    text += plain[i];
  }
  return text + plain.substr(whole);
}

std::string signed_text(double shown, int decimals) {
  const std::string text = number_text(shown, decimals);
  return shown > 0 && text.find_first_of("123456789") != std::string::npos ? "+" + text : text;
}

std::string signed_percent(double percent, int decimals) {
  if (!std::isfinite(percent)) return std::string(kEnDash);
  const std::string digits = percent_digits(percent, decimals);
  if (digits.find_first_of("123456789") == std::string::npos) return digits;
  return (percent < 0 ? std::string(kMinus) : "+") + digits;
}

std::string quantity_text(double value, std::string_view unit, std::optional<double> half_width) {
  if (!std::isfinite(value)) return std::string(kEnDash);
  const Scale scale = scale_for(unit, value);
  const double shown = value * scale.factor;
  if (half_width) *half_width *= scale.factor;
  const std::string number = number_text(shown, decimals_for(shown, half_width));
  return scale.unit.empty() ? number : number + std::string(kNoBreak) + scale.unit;
}

QuantityPair quantity_pair(std::optional<double> before, std::optional<double> after,
                           std::string_view unit, std::optional<double> change_half_width) {
  const double reference = after.value_or(before.value_or(0));
  const Scale scale = scale_for(unit, reference);
  const double shown = reference * scale.factor;
  std::optional<double> half_width;
  if (change_half_width) half_width = *change_half_width * std::abs(shown);
  const int shared = decimals_for(shown, half_width);
  const auto text = [&](const std::optional<double>& value) {
    if (!value) return std::string(kEnDash);
    const double own = *value * scale.factor;
    // A value that the shared digits would show as 0 gets its own digits.
    const bool is_lost = own != 0 && 2 * std::abs(own) < std::pow(10.0, -shared);
    return number_text(own, is_lost ? decimals_for(own, std::nullopt) : shared);
  };
  return {text(before), text(after), scale.unit};
}

std::string ChangeText::whole() const {
  if (change.empty()) return std::string(kEnDash);
  return change + std::string(kNoBreak) + "%" + (interval.empty() ? "" : " [" + interval + "]");
}

ChangeText change_text(std::optional<double> change, std::optional<double> low,
                       std::optional<double> high) {
  ChangeText text;
  if (!change || !std::isfinite(*change)) return text;
  std::optional<double> half_width;
  if (low && high) half_width = 50 * (*high - *low);
  const double percent = 100 * *change;
  int decimals = std::abs(percent) < 1000 ? 1 : 0;
  if (half_width && *half_width > 0)
    decimals = std::clamp(decimals_of_uncertainty(*half_width), 0, 2);
  text.change = signed_percent(percent, decimals);
  if (low && high)
    text.interval =
        signed_percent(100 * *low, decimals) + ", " + signed_percent(100 * *high, decimals);
  return text;
}

std::string unbroken(std::string text) {
  for (std::size_t at = 0; (at = text.find(" %", at)) != std::string::npos;)
    text.replace(at, 1, "\u00A0");
  return text;
}

std::string share_text(double fraction) {
  const double percent = 100 * fraction;
  if (!std::isfinite(percent)) return std::string(kEnDash);
  int decimals = percent == 0 ? 0 : std::clamp(1 - magnitude_of(percent), 0, 4);
  std::string text = (percent < 0 ? std::string(kMinus) : "") + percent_digits(percent, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text + std::string(kNoBreak) + "%";
}

std::string duration_text(std::string_view from, std::string_view until) {
  const auto start = moment_of(from), end = moment_of(until);
  if (!start || !end || *end < *start) return "";
  const auto seconds = long(std::lround(double(end->seconds - start->seconds) +
                                        1e-9 * (end->nanoseconds - start->nanoseconds)));
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
}

}  // namespace plumbline
