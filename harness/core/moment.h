/// Points in time, read from ISO 8601, so that they are ordered as times and not as texts.
///
/// Reads no file: the reader decides what an unreadable time means.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

struct Moment {
  std::int64_t seconds = 0;      // since 1970-01-01T00:00:00Z, without leap seconds
  std::int32_t nanoseconds = 0;  // from 0, below 10⁹
  auto operator<=>(const Moment&) const = default;
};

/// The forms that moment_of reads, in words for error messages.
inline constexpr std::string_view kMomentForms =
    "a time in ISO 8601, such as 2026-11-22T02:00:00Z, 2026-11-22T03:00:00.5+01:00 or 2026-11-22";

/// Reads the whole of `iso`: a calendar date, alone (midnight) or followed by a time. The time
/// follows `T` (or a blank, as in RFC 3339) and has minutes, seconds or a fraction of a second. `-`
/// and `:` may be left out; without a zone it is UTC. Nothing for other texts, for dates that do
/// not exist, and outside the years 0 to 9999 of UTC.
std::optional<Moment> moment_of(std::string_view iso);

/// Whether it is a date without a time of day.
bool is_date_alone(std::string_view iso);

/// Now, ISO 8601 UTC in seconds.
std::string now_utc();

/// `2026-11-22T02:00:00Z`, with as many decimals of the second as it has.
std::string utc_text(const Moment& moment);

}  // namespace plumbline
