#include "workflow/corpus/planted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "core/error.h"
#include "core/words.h"
#include "stats/random_draws.h"
#include "store/csv/csv_writer.h"

namespace plumbline {
namespace {

constexpr std::array kFactors{1.01, 1.02, 1.03, 1.05, 1.10};

using Cases = std::vector<std::string>;

/// By class: the cases with samples in all its nights.
std::map<std::string, Cases> shared_cases(std::span<const PlantableNight> nights) {
  std::map<std::string, Cases> shared;
  for (const PlantableNight& night : nights) {
    const auto [place, is_new] = shared.try_emplace(night.device_class);
    if (is_new)
      place->second.assign(night.cases.begin(), night.cases.end());
    else
      std::erase_if(place->second, [&](const auto& id) { return !night.cases.contains(id); });
  }
  return shared;
}

/// Numbers of the nights, from 1, from which on a case may be slower.
std::vector<std::size_t> first_nights(std::span<const PlantableNight> nights,
                                      const std::map<std::string, Cases>& cases) {
  std::map<std::string, std::size_t> earlier;
  std::vector<std::size_t> possible;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    const std::string& device = nights[i].device_class;
    if (earlier[device]++ >= kNightsBeforePlanted && !cases.at(device).empty())
      possible.push_back(i + 1);
  }
  return possible;
}

}  // namespace

std::vector<PlantedSlowdown> planted_slowdowns(std::span<const PlantableNight> nights,
                                               std::size_t count, std::uint64_t seed) {
  if (count == 0) return {};
  const std::map<std::string, Cases> cases = shared_cases(nights);
  const std::vector<std::size_t> possible = first_nights(nights, cases);
  if (possible.empty())
    throw Error(fmt::format(
        "--plant {}: a slowdown is planted after {} of a device class, into a case that all of "
        "them measured, and no class of these {} has that; give more runs of one class, or "
        "--plant 0",
        count, counted(kNightsBeforePlanted, "night"), counted(nights.size(), "run")));
  RandomDraws draws(seed);
  std::vector<PlantedSlowdown> planted;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t night = possible[draws.below(possible.size())];
    const Cases& among = cases.at(nights[night - 1].device_class);
    planted.push_back(
        {i + 1, night, among[draws.below(among.size())], kFactors[i % kFactors.size()]});
  }
  return planted;
}

std::string planted_csv(std::span<const PlantedSlowdown> planted) {
  std::string text = "trial,night,case,factor\n";
  for (const PlantedSlowdown& one : planted) {
    fmt::format_to(std::back_inserter(text), "{},{}", one.trial, one.night);
    append_csv_field(text, one.case_id, false);
    append_csv_field(text, fmt::format("{}", one.factor), false);
    end_csv_row(text);
  }
  return text;
}

}  // namespace plumbline
