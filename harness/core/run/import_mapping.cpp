#include "core/run/import_mapping.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace plumbline {
namespace {

constexpr std::array kUnits = std::to_array<ScaledUnit>({
    {"s", "s", 1},
    {"ms", "s", 1e-3},
    {"us", "s", 1e-6},
    {"µs", "s", 1e-6},
    {"ns", "s", 1e-9},
    {"B", "B", 1},
    {"KB", "B", 1e3},
    {"MB", "B", 1e6},
    {"GB", "B", 1e9},
    {"KiB", "B", 1024},
    {"MiB", "B", 1048576},
    {"GiB", "B", 1073741824},
    {"J", "J", 1},
    {"mJ", "J", 1e-3},
    {"W", "W", 1},
    {"mW", "W", 1e-3},
    {"1", "1", 1},
});

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Calls `text` for each text between names and `name` for each name.
template <class Text, class Name>
void walk(std::string_view pattern, Text text, Name name) {
  while (true) {
    const std::size_t dollar = pattern.find('$');
    text(pattern.substr(0, dollar));
    if (dollar == std::string_view::npos) return;
    pattern.remove_prefix(dollar + 1);
    if (pattern.starts_with('$')) {
      text("$");
      pattern.remove_prefix(1);
      continue;
    }
    const bool is_braced = pattern.starts_with('{');
    const auto end_of_word = std::ranges::find_if_not(pattern, is_name_character);
    const std::size_t end =
        is_braced ? pattern.find('}') : static_cast<std::size_t>(end_of_word - pattern.begin());
    if (end == std::string_view::npos || end <= (is_braced ? 1U : 0U))
      throw Error("found '$" + std::string(pattern.substr(0, 20)) +
                  "'; a column is $name or ${any name}, and a dollar is $$");
    name(std::string(is_braced ? pattern.substr(1, end - 1) : pattern.substr(0, end)));
    pattern.remove_prefix(end + (is_braced ? 1 : 0));
  }
}

}  // namespace

std::vector<std::string> names_in_pattern(std::string_view pattern) {
  std::vector<std::string> names;
  walk(
      pattern, [](std::string_view) {},
      [&](std::string name) { names.push_back(std::move(name)); });
  return names;
}

std::string filled(std::string_view pattern,
                   const std::function<std::string(const std::string& name)>& value_of) {
  std::string text;
  walk(
      pattern, [&](std::string_view part) { text += part; },
      [&](const std::string& name) { text += value_of(name); });
  return text;
}

std::optional<ScaledUnit> scaled_unit(std::string_view name) {
  const auto found = std::ranges::find(kUnits, name, &ScaledUnit::name);
  return found == kUnits.end() ? std::nullopt : std::optional(*found);
}

std::span<const ScaledUnit> scaled_units() { return kUnits; }

std::string known_units() {
  std::string names;
  for (const ScaledUnit& unit : kUnits)
    names += (names.empty() ? "" : ", ") + std::string(unit.name);
  return names;
}

}  // namespace plumbline
