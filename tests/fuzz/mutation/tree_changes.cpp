#include "fuzz/mutation/tree_changes.h"

#include <algorithm>
#include <array>

namespace plumbline::fuzz {
namespace {

using Kind = Tree::Kind;

constexpr std::size_t kMostNodes = 20000;  // of a tree that grows

bool has_items(const Tree& node) { return !node.items.empty(); }
bool is_scalar(const Tree& node) { return node.kind == Kind::scalar; }
bool is_filled_map(const Tree& node) { return node.kind == Kind::map && has_items(node); }

/// A random node that fits, or null.
template <typename Fits>
Tree* node_of(Tree& root, Dice& dice, Fits fits) {
  std::vector<Tree*> nodes = nodes_of(root);
  std::erase_if(nodes, [&](const Tree* node) { return !fits(*node); });
  return nodes.empty() ? nullptr : any_of(nodes, dice);
}

Tree* any_node(Tree& root, Dice& dice) {
  return node_of(root, dice, [](const Tree&) { return true; });
}

Tree& item_of(Tree& list, Dice& dice) { return list.items[dice.below(list.items.size())]; }

/// What stands at a place becomes something else; its key stays.
void put(Tree& place, Tree content) {
  content.key = std::move(place.key);
  place = std::move(content);
}

Tree scalar(std::string_view text, bool is_quoted = false) {
  Tree node;
  node.text = text;
  node.is_quoted = is_quoted;
  return node;
}

Tree odd_scalar(const TreeSource& from) {
  if (from.words.values.empty() || from.dice.chance(0.5)) return scalar(any_of(kEdges, from.dice));
  return scalar(any_of(from.words.values, from.dice), true);
}

void set_value(Tree& root, const TreeSource& from) {
  if (Tree* node = node_of(root, from.dice, is_scalar)) put(*node, odd_scalar(from));
}

void set_kind(Tree& root, const TreeSource& from) {
  Tree& node = *any_node(root, from.dice);
  Tree inner = node;
  inner.key = any_of(from.words.keys, from.dice);
  switch (from.dice.below(5)) {
    case 0:
      return put(node, tree_of(Kind::map));
    case 1:
      return put(node, tree_of(Kind::list));
    case 2:
      return put(node, tree_of(Kind::list, {inner}));
    case 3:
      return put(node, tree_of(Kind::map, {inner}));
    default:
      if (is_scalar(node))
        node.is_quoted = !node.is_quoted;  // "5" for 5
      else
        put(node, odd_scalar(from));
  }
}

void remove_item(Tree& root, const TreeSource& from) {
  if (Tree* node = node_of(root, from.dice, has_items))
    node->items.erase(node->items.begin() + std::ptrdiff_t(from.dice.below(node->items.size())));
}

/// In a map the key is there twice, or the entry has another one.
void repeat_item(Tree& root, const TreeSource& from) {
  if (Tree* node = node_of(root, from.dice, has_items)) {
    Tree copy = item_of(*node, from.dice);
    if (from.dice.chance(0.5)) copy.key += '2';
    node->items.insert(
        node->items.begin() + std::ptrdiff_t(from.dice.below(node->items.size() + 1)), copy);
  }
}

/// Two values of a list or a map change places.
void swap_items(Tree& root, const TreeSource& from) {
  Tree* node = node_of(root, from.dice, [](const Tree& one) { return one.items.size() > 1; });
  if (node == nullptr) return;
  const std::size_t first = from.dice.below(node->items.size() - 1);
  const std::size_t second = from.dice.between(first + 1, node->items.size() - 1);
  std::swap(node->items[first], node->items[second]);
  std::swap(node->items[first].key, node->items[second].key);
}

void rename_key(Tree& root, const TreeSource& from) {
  if (Tree* node = node_of(root, from.dice, is_filled_map))
    item_of(*node, from.dice).key = any_of(from.words.keys, from.dice);
}

Tree copy_of_other(const TreeSource& from) {
  Tree other = from.other;
  return *any_node(other, from.dice);
}

void add_entry(Tree& root, const TreeSource& from) {
  Tree* node = node_of(root, from.dice, [](const Tree& one) { return one.kind == Kind::map; });
  if (node == nullptr) return;
  Tree entry = from.dice.chance(0.5) ? copy_of_other(from) : odd_scalar(from);
  entry.key = any_of(from.words.keys, from.dice);
  node->items.push_back(std::move(entry));
}

/// What another input has under the same key, or an entry of it that this one lacks.
void splice(Tree& root, const TreeSource& from) {
  Tree other = from.other;
  Tree* const source = node_of(other, from.dice, [](const Tree& one) { return !one.key.empty(); });
  if (source == nullptr) return put(*any_node(root, from.dice), copy_of_other(from));
  const auto has_same_key = [&](const Tree& one) { return one.key == source->key; };
  if (Tree* node = node_of(root, from.dice, has_same_key)) return put(*node, *source);
  if (Tree* map = node_of(root, from.dice, is_filled_map)) map->items.push_back(*source);
}

void deepen(Tree& root, const TreeSource& from) {
  static constexpr std::array<std::uint64_t, 6> kDepths = {2, 8, 31, 33, 100, 250};
  const std::uint64_t depth = any_of(kDepths, from.dice);
  Tree& node = *any_node(root, from.dice);
  const Kind kind = from.dice.chance(0.7) ? Kind::list : Kind::map;
  for (std::uint64_t i = 0; i < depth; ++i) {
    Tree outer = tree_of(kind);
    outer.key = node.key;
    node.key = any_of(from.words.keys, from.dice);
    outer.items.push_back(std::move(node));
    node = std::move(outer);
  }
}

/// A list of many numbers.
void widen(Tree& root, const TreeSource& from) {
  static constexpr std::array<std::uint64_t, 4> kSizes = {3, 10, 100, 1000};
  const std::uint64_t size = any_of(kSizes, from.dice);
  if (nodes_of(root).size() + size > kMostNodes) return;
  Tree list = tree_of(Kind::list);
  for (std::uint64_t i = 1; i <= size; ++i) list.items.push_back(scalar(std::to_string(i)));
  Tree* const node = node_of(root, from.dice, [](const Tree& one) {
    return one.kind == Kind::list || (one.kind == Kind::scalar && !one.is_quoted);
  });
  if (node != nullptr) put(*node, std::move(list));
}

/// Ranges of a suite: {from, to, step}, {pow2: [a, b]}, {linspace: [a, b, n]}.
void set_range(Tree& root, const TreeSource& from) {
  const auto entry = [&](std::string_view key) {
    Tree node = scalar(any_of(kEdges, from.dice));
    node.key = key;
    return node;
  };
  Tree range = tree_of(Kind::map);
  if (from.dice.chance(0.5)) {
    range.items = {entry("from"), entry("to"), entry("step")};
  } else {
    Tree list = tree_of(Kind::list);
    list.key = from.dice.chance(0.5) ? "pow2" : "linspace";
    list.items = {entry(""), entry(""), entry("")};
    if (list.key == "pow2") list.items.pop_back();
    range.items = {std::move(list)};
  }
  if (Tree* node = node_of(root, from.dice, is_scalar)) put(*node, std::move(range));
}

void move_item(Tree& root, const TreeSource& from) {
  Tree* const source = node_of(root, from.dice, has_items);
  if (source == nullptr) return;
  const auto at = source->items.begin() + std::ptrdiff_t(from.dice.below(source->items.size()));
  const Tree item = std::move(*at);
  source->items.erase(at);
  if (Tree* target = node_of(root, from.dice, has_items)) target->items.push_back(item);
}

/// Two nodes share an anchor; the second may lie in the first.
void alias(Tree& root, const TreeSource& from) {
  any_node(root, from.dice)->anchor = "shared";
  Tree second = tree_of(Kind::alias);
  second.text = "shared";
  put(*any_node(root, from.dice), std::move(second));
}

/// Texts have a grammar of their own: expressions, times, lists.
void edit_text(Tree& root, const TreeSource& from) {
  static constexpr std::array<std::string_view, 22> kPieces = {
      "(",      ")",       "[",    "]",     ",",    " + ", " - ", " * ", " / ", " % ",
      " ** ",   " < ",     " == ", " and ", "not ", "'",   ".",   "$",   "%",   "sizeof(dtype)",
      "randn[", "\xc3\xa9"};
  Tree* const node =
      node_of(root, from.dice, [](const Tree& one) { return is_scalar(one) && !one.text.empty(); });
  if (node == nullptr) return;
  const std::size_t at = from.dice.below(node->text.size() + 1);
  switch (from.dice.below(4)) {
    case 0:
      node->text.erase(at, 1 + from.dice.below(4));
      break;
    case 1:
      node->text.insert(at, any_of(kPieces, from.dice));
      break;
    case 2:
      node->text.insert(at, any_of(kEdges, from.dice));
      break;
    default:
      node->text.insert(at, node->text.substr(from.dice.below(node->text.size()), 20));
  }
}

constexpr auto kChanges = std::to_array<TreeChange>({
    {"value", set_value},
    {"kind", set_kind},
    {"remove", remove_item},
    {"repeat", repeat_item},
    {"swap", swap_items},
    {"rename", rename_key},
    {"add", add_entry},
    {"splice", splice},
    {"deepen", deepen},
    {"widen", widen},
    {"move", move_item},
    {"text", edit_text},
    {"range", set_range, false},
    {"alias", alias, false},
});

}  // namespace

std::span<const TreeChange> tree_changes() { return kChanges; }

}  // namespace plumbline::fuzz
