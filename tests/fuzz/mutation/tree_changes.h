/// Changes of a tree, a row of a table each. They know no schema but its words.
#pragma once

#include <span>
#include <string_view>

#include "fuzz/mutation/tree.h"
#include "fuzz/mutation/words.h"

namespace plumbline::fuzz {

/// What a change draws from.
struct TreeSource {
  const Tree& other;  // another input, or the same
  const Words& words;
  Dice& dice;
};

struct TreeChange {
  std::string_view name;
  /// May leave the tree as it is, where it does not fit.
  void (*apply)(Tree& root, const TreeSource& from);
  bool is_of_json = true;  // false: of YAML alone
};

std::span<const TreeChange> tree_changes();

}  // namespace plumbline::fuzz
