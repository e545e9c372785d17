#include "fuzz/mutation/mutation.h"

#include <algorithm>
#include <iterator>

#include "fuzz/mutation/table_changes.h"
#include "fuzz/mutation/tree_changes.h"

namespace plumbline::fuzz {
namespace {

constexpr std::string_view kBetweenParts = "=====\n";

/// One change mostly: a reader refuses at the first mistake, and nothing behind it is tried.
std::uint64_t changes_of(Dice& dice) { return dice.chance(0.6) ? 1 : dice.between(2, 4); }

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.emplace_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string joined(const std::vector<std::string>& pieces, std::string_view between) {
  std::string text;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) text += between;
    text += pieces[i];
  }
  return text;
}

std::string changed_tree(Tree tree, const Tree& other, Grammar grammar, Dice& dice) {
  const bool is_json = grammar == Grammar::json;
  const TreeSource from{other, is_json ? json_words() : yaml_words(), dice};
  for (std::uint64_t changes = changes_of(dice); changes > 0; --changes) {
    const TreeChange& change = any_of(tree_changes(), dice);
    if (!is_json || change.is_of_json) change.apply(tree, from);
  }
  return is_json ? json_text(tree) : yaml_text(tree);
}

/// Lines of YAML: indentation and order, which a tree does not have.
std::string changed_lines(std::string_view text, Dice& dice) {
  std::vector<std::string> lines = lines_of(text);
  if (lines.empty()) return {};
  std::string& line = lines[dice.below(lines.size())];
  const auto at = lines.begin() + (&line - lines.data());
  switch (dice.below(5)) {
    case 0:
      lines.insert(at, std::string(line));
      break;
    case 1:
      lines.erase(at);
      break;
    case 2:
      line.insert(0, dice.between(1, 4), ' ');
      break;
    case 3:
      line.erase(0, std::min(line.find_first_not_of(' '), std::size_t(2)));
      break;
    default:
      std::swap(line, lines[dice.below(lines.size())]);
  }
  return joined(lines, "");
}

std::optional<std::string> changed_json_line(std::string_view text, std::string_view other,
                                             Dice& dice) {
  std::vector<std::string> lines = lines_of(text);
  if (lines.size() < 2) return {};
  std::string& line = lines[dice.below(lines.size())];
  const auto tree = read_json(line);
  if (!tree) return {};
  const auto others = lines_of(other);
  const auto from = others.empty() ? std::nullopt : read_json(any_of(others, dice));
  line = changed_tree(*tree, from ? *from : *tree, Grammar::json, dice) + '\n';
  if (dice.chance(0.2)) lines.push_back(line);
  return joined(lines, "");
}

std::optional<std::string> changed_csv(std::string_view text, std::string_view other, Dice& dice) {
  Cells table = read_cells(text), from = read_cells(other);
  if (table.empty()) return {};
  if (from.empty()) from = table;
  for (std::uint64_t changes = changes_of(dice); changes > 0; --changes) {
    any_of(table_changes(), dice).apply(table, {from, csv_words(), dice});
    std::erase_if(table, [](const auto& row) { return row.empty(); });
    if (table.empty()) break;
  }
  return cells_text(table);
}

}  // namespace

std::optional<std::string> changed_by_grammar(Grammar grammar, std::string_view text,
                                              std::string_view other, Dice& dice) {
  if (grammar == Grammar::bytes) return {};
  if (grammar == Grammar::csv) return changed_csv(text, other, dice);
  if (grammar == Grammar::yaml && dice.chance(0.2)) return changed_lines(text, dice);
  const auto read = grammar == Grammar::json ? read_json : read_yaml;
  const auto tree = read(text);
  if (!tree) {
    if (grammar == Grammar::json) return changed_json_line(text, other, dice);
    return {};
  }
  const auto from = read(other);
  return changed_tree(*tree, from ? *from : *tree, grammar, dice);
}

std::optional<std::string> changed_by_grammar(const Target& target, std::string_view input,
                                              std::string_view other, Dice& dice) {
  const std::size_t count =
      std::size_t(std::find(target.grammars.begin(), target.grammars.end(), Grammar::none) -
                  target.grammars.begin());
  if (count == 0) return {};
  std::vector<std::string> pieces = parts(input, count, kBetweenParts);
  const std::vector<std::string> others = parts(other, count, kBetweenParts);
  const std::size_t at = dice.below(count);
  const auto changed = changed_by_grammar(target.grammars[at], pieces[at], others[at], dice);
  if (!changed) return {};
  pieces[at] = *changed;
  return joined(pieces, kBetweenParts);
}

}  // namespace plumbline::fuzz
