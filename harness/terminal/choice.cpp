#include "terminal/choice.h"

#include <fmt/format.h>

#include "core/expression/expression.h"

namespace plumbline {
namespace {

/// "{a,b}", as CLI11 writes a set, taken apart; none for another text.
std::vector<std::string> words_in(const std::string& set) {
  if (!set.starts_with('{') || !set.ends_with('}')) return {};
  return CLI::detail::split(set.substr(1, set.size() - 2), ',');
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string name = CLI::detail::generate_set(words);
  const auto check = [words = std::move(words)](const std::string& word) -> std::string {
    std::string all;
    for (const std::string& known : words) {
      if (known == word) return "";
      all += (all.empty() ? "" : ", ") + known;
    }
    const std::string near = nearest_name(word, words);
    return fmt::format("found '{}'; {}llowed: {}", word,
                       near.empty() ? "a" : "did you mean '" + near + "'? A", all);
  };
  return CLI::Validator(check, "", name);
}

std::vector<std::string> allowed_words(CLI::Option& option) {
  try {
    for (int index = 0;; ++index) {
      const CLI::Validator& validator = *option.get_validator(index);
      for (const std::string& set : {validator.get_name(), validator.get_description()})
        if (auto words = words_in(set); !words.empty()) return words;
    }
  } catch (const CLI::OptionNotFound&) {  // the only sign of the last one
    return {};
  }
}

}  // namespace plumbline
