/// A flag or argument that takes one of a few words.
///
/// Knows no command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace plumbline {

/// Refuses other words with a message that has the found word, the nearest one and all allowed
/// ones. `--help` does not list them, because the description does.
CLI::Validator one_of(std::vector<std::string> words);

/// The words that one_of, or CLI11's IsMember, allows here; none where any text may stand.
std::vector<std::string> allowed_words(CLI::Option& option);

}  // namespace plumbline
