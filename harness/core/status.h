/// How the measuring of a case ended.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace plumbline {

/// How the measuring of a case ended. The list is closed; every status except OK has a reason in
/// words. Only OK and UNVERIFIED have samples.
enum class Status {
  ok,
  wrong,
  unverified,
  unsupported,
  excluded,
  crashed,
  timeout,
  out_of_memory,
  throttled,
  interrupted,
};

inline constexpr std::array<std::string_view, 10> kStatusNames{
    "OK",      "WRONG",   "UNVERIFIED",    "UNSUPPORTED", "EXCLUDED",
    "CRASHED", "TIMEOUT", "OUT_OF_MEMORY", "THROTTLED",   "INTERRUPTED"};

constexpr std::string_view name_of(Status status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}
std::optional<Status> status_named(std::string_view name);

constexpr bool has_samples(Status status) {
  return status == Status::ok || status == Status::unverified;
}

}  // namespace plumbline
