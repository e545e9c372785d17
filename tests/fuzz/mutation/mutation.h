/// Changes inputs by their grammar, so that they get past the first byte of a reader: a changed
/// suite is YAML, a changed run.json is JSON, changed results are rows.
///
/// Used by libFuzzer (fuzzer.cpp) and by replay.cpp, in turn with changes of bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fuzz/targets.h"
#include "simulation/dice.h"

namespace plumbline::fuzz {

/// `input`, changed in one to four places. `other` is another input of the target, from which
/// parts are taken. The same dice give the same text. Nothing if the target has no grammar, or if
/// the part that was to be changed cannot be read by its grammar.
std::optional<std::string> changed_by_grammar(const Target& target, std::string_view input,
                                              std::string_view other, simulation::Dice& dice);

/// One part of an input.
std::optional<std::string> changed_by_grammar(Grammar grammar, std::string_view text,
                                              std::string_view other, simulation::Dice& dice);

}  // namespace plumbline::fuzz
