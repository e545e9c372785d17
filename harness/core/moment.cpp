#include "core/moment.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace plumbline {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;
/// The year must have four digits in UTC too.
constexpr std::chrono::sys_days kFirst = std::chrono::year(0) / 1 / 1,
                                kEnd = std::chrono::year(10'000) / 1 / 1;
constexpr int kDecimals = 9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The rest of a text that is read from its front.
struct Rest {
  std::string_view text;

  bool take(char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
  }

  bool take_number(std::size_t digits, int& number) {
    if (text.size() < digits) return false;
    number = 0;
    for (const char c : text.substr(0, digits)) {
      if (!is_digit(c)) return false;
      number = 10 * number + (c - '0');
    }
    text.remove_prefix(digits);
    return true;
  }

  /// Reads the decimals after the decimal mark; those beyond nanoseconds are dropped.
  bool take_fraction(std::int32_t& nanoseconds) {
    if (text.empty() || !is_digit(text.front())) return false;
    nanoseconds = 0;
    for (int i = 0; i < kDecimals || (!text.empty() && is_digit(text.front())); ++i) {
      const bool is_there = !text.empty() && is_digit(text.front());
      if (i < kDecimals) nanoseconds = 10 * nanoseconds + (is_there ? text.front() - '0' : 0);
      if (is_there) text.remove_prefix(1);
    }
    return true;
  }
};

bool take_date(Rest& rest, bool& is_extended, std::int64_t& days) {
  int year, month, day;
  if (!rest.take_number(4, year)) return false;
  is_extended = rest.take('-');
  if (!rest.take_number(2, month) || rest.take('-') != is_extended || !rest.take_number(2, day))
    return false;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return false;
  days = std::chrono::sys_days(date).time_since_epoch().count();
  return true;
}

bool take_time(Rest& rest, bool is_extended, Moment& moment) {
  int hour, minute, second = 0;
  if (!rest.take_number(2, hour) || rest.take(':') != is_extended || !rest.take_number(2, minute))
    return false;
  const bool has_second =
      is_extended ? rest.take(':') : !rest.text.empty() && is_digit(rest.text.front());
  if (has_second) {
    if (!rest.take_number(2, second)) return false;
    const bool has_fraction = rest.take('.') || rest.take(',');
    if (has_fraction && !rest.take_fraction(moment.nanoseconds)) return false;
  }
  moment.seconds += (hour * 60 + minute) * 60 + second;
  return hour < 24 && minute < 60 && second <= 60;  // 60: a leap second
}

bool take_zone(Rest& rest, Moment& moment) {
  if (rest.text.empty() || rest.take('Z') || rest.take('z')) return true;
  const bool is_behind = rest.take('-');
  int hours, minutes = 0;
  if ((!is_behind && !rest.take('+')) || !rest.take_number(2, hours)) return false;
  const bool has_minutes = rest.take(':') || !rest.text.empty();
  if (has_minutes && !rest.take_number(2, minutes)) return false;
  moment.seconds -= (hours * 60 + minutes) * 60 * (is_behind ? -1 : 1);
  return hours < 24 && minutes < 60;
}

}  // namespace

bool is_date_alone(std::string_view iso) {
  Rest rest{iso};
  bool is_extended = false;
  std::int64_t days = 0;
  return take_date(rest, is_extended, days) && rest.text.empty();
}

std::optional<Moment> moment_of(std::string_view iso) {
  Rest rest{iso};
  bool is_extended = false;
  std::int64_t days = 0;
  if (!take_date(rest, is_extended, days)) return std::nullopt;
  Moment moment{days * kSecondsPerDay};
  if (rest.text.empty()) return moment;
  const bool is_fine = (rest.take('T') || rest.take('t') || rest.take(' ')) &&
                       take_time(rest, is_extended, moment) && take_zone(rest, moment) &&
                       rest.text.empty();
  const std::chrono::sys_seconds time{std::chrono::seconds(moment.seconds)};
  const bool has_year = kFirst <= time && time < kEnd;
  return is_fine && has_year ? std::optional(moment) : std::nullopt;
}

std::string utc_text(const Moment& moment) {
  const std::chrono::sys_seconds time{std::chrono::seconds(moment.seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%09d", int(date.year()),
                unsigned(date.month()), unsigned(date.day()), int(clock.hours().count()),
                int(clock.minutes().count()), int(clock.seconds().count()), moment.nanoseconds);
  std::string utc = text.data();
  utc.erase(utc.find_last_not_of('0') + 1);  // stops at the decimal point at the latest
  if (utc.ends_with('.')) utc.pop_back();
  return utc + "Z";
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text;
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace plumbline
