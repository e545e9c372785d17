/// A flag or an argument that is one of a few words.
///
/// Knows no command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace plumbline {

/// Refuses a word that is none of `words`, in a sentence that says what was found, the nearest
/// and what is allowed. `--help` shows nothing of it: the description names the words.
CLI::Validator one_of(std::vector<std::string> words);

/// The words that one_of, or CLI11's IsMember, allows here; none where any text may stand.
std::vector<std::string> allowed_words(CLI::Option& option);

}  // namespace plumbline
