/// JSON or YAML as a tree that a fuzzer changes, and its text again.
///
/// Keeps what readers may refuse: repeated keys, numbers as they are written, any text as a number.
/// Knows no schema. Comments are lost.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::fuzz {

struct Tree {
  enum class Kind { scalar, list, map, alias };
  Kind kind = Kind::scalar;
  std::string text;        // scalar: without quotes; alias: the anchor's name
  bool is_quoted = false;  // scalar: a text, whatever it looks like
  bool is_block = false;   // list and map: YAML's block style
  std::string anchor;      // YAML
  std::string key;         // of an entry of a map
  std::vector<Tree> items;
};

Tree tree_of(Tree::Kind kind, std::vector<Tree> items = {});

/// Deeper texts are not read, so that recursion over a tree ends.
inline constexpr int kMostDepth = 300;

/// Nothing for what is no JSON, or too deep.
std::optional<Tree> read_json(std::string_view text);
/// In one line.
std::string json_text(const Tree& tree);

/// Returns nothing if the text is not YAML, has several documents, has a key that is not a scalar,
/// or is nested too deeply.
std::optional<Tree> read_yaml(std::string_view text);
std::string yaml_text(const Tree& tree);

/// All nodes of a tree, the root first. They stay valid until the tree changes.
std::vector<Tree*> nodes_of(Tree& root);

}  // namespace plumbline::fuzz
