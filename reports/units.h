/// Numbers for people: only here, SI units are scaled and digits are chosen.
///
/// Knows no case and no page. Unknown numbers are shown as an en dash, never as 0 or blank.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

/// How a quantity is shown: the number shown is value × factor, in `unit`.
struct Scale {
  double factor = 1;
  std::string unit;
};

/// The scale at which `magnitude` (in the base unit: s, B, J, Hz, FLOP/s, B/s, 1) reads between 1
/// and 1000. Unknown units stay unchanged.
Scale scale_for(std::string_view unit, double magnitude);

/// The number of decimals of a shown number: its last digit has the size of `half_width` (half of
/// its interval, at the shown scale; nothing = three significant digits), with at most four
/// significant digits.
int decimals_for(double shown, std::optional<double> half_width);

/// `1 234.5` with thin spaces between thousands and a true minus; an en dash for NaN. `4.94e-315`
/// if that would need ten decimals, or sixteen digits before them.
std::string number_text(double shown, int decimals);

/// `number_text` with a sign also for positive numbers.
std::string signed_text(double shown, int decimals);

/// `+3.9`, `−0.03`, `+3.40e8` (core/words.h): a percentage with its sign, an en dash for NaN.
std::string signed_percent(double percent, int decimals);

/// `12.41 µs`, scaled on its own, with digits by the half width of its interval (base unit).
std::string quantity_text(double value, std::string_view unit,
                          std::optional<double> half_width = std::nullopt);

/// Two values that share their unit and digits.
struct QuantityPair {
  std::string before, after, unit;
};

/// Either side may be missing (an en dash). `change_half_width` is a fraction of `after`.
QuantityPair quantity_pair(std::optional<double> before, std::optional<double> after,
                           std::string_view unit, std::optional<double> change_half_width);

/// A change and its interval, from fractions: `+3.9` and `+3.4, +4.3`, in percent.
struct ChangeText {
  std::string change, interval;  // "" where unknown
  std::string whole() const;     // `+3.9 % [+3.4, +4.3]`, an en dash where unknown
};
ChangeText change_text(std::optional<double> change, std::optional<double> low,
                       std::optional<double> high);

/// Keeps a percent sign on the line of its number.
std::string unbroken(std::string text);

/// A fraction as `2 %`, with two significant digits.
std::string share_text(double fraction);

/// `1 min 12 s` between two times in ISO 8601; "" if either cannot be read.
std::string duration_text(std::string_view from, std::string_view until);

}  // namespace plumbline
