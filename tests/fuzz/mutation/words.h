/// What a changed input may contain instead of what was there: words of the schemas, and odd
/// values.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/dice.h"

namespace plumbline::fuzz {

using simulation::Dice;

struct Words {
  std::vector<std::string> keys;    // of maps; columns
  std::vector<std::string> values;  // that a key may have
};

/// Of suites, mappings and rules of fleets, taken from their schemas.
const Words& yaml_words();
/// Of messages and of files in JSON: the protocol's schema.
const Words& json_words();
/// The columns of results.csv, and what stands in them.
const Words& csv_words();

/// Numbers at the limits of types, and texts that look like numbers.
inline constexpr std::array<std::string_view, 26> kEdges = {"0",
                                                            "-1",
                                                            "1",
                                                            "2",
                                                            "0.5",
                                                            "-0.0",
                                                            "1e308",
                                                            "1e400",
                                                            "-1e308",
                                                            "1e-320",
                                                            "nan",
                                                            "inf",
                                                            "-inf",
                                                            "null",
                                                            "true",
                                                            "32",
                                                            "4294967296",
                                                            "1000000000",
                                                            "2147483647",
                                                            "9007199254740993",
                                                            "9223372036854775807",
                                                            "-9223372036854775808",
                                                            "9223372036854775808",
                                                            "18446744073709551616",
                                                            "0x10",
                                                            "1e19"};

/// A random element. `from` must not be empty.
template <typename List>
const auto& any_of(const List& from, Dice& dice) {
  return from[dice.below(from.size())];
}

}  // namespace plumbline::fuzz
