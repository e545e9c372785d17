#include "terminal/choice.h"

#include <fmt/format.h>

#include "core/expression/expression.h"

namespace plumbline {

CLI::Validator one_of(std::vector<std::string> words) {
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
  return CLI::Validator(check, "");
}

}  // namespace plumbline
