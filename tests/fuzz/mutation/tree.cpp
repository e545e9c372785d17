#include "fuzz/mutation/tree.h"

#include <yaml.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace plumbline::fuzz {
namespace {

/// Makes a tree of the events of a parser. Only the innermost open node grows, so that pointers to
/// the open ones stay valid.
class Grower {
 public:
  /// False if the tree gets too deep, or has a second root.
  bool add(Tree node, bool is_open) {
    Tree* place = &root_;
    if (open_.empty()) {
      if (has_root_) return false;
      has_root_ = true;
      root_ = std::move(node);
    } else {
      node.key = std::exchange(key_, {});
      awaits_key_ = open_.back()->kind == Tree::Kind::map;
      place = &open_.back()->items.emplace_back(std::move(node));
    }
    if (!is_open) return true;
    awaits_key_ = place->kind == Tree::Kind::map;
    open_.push_back(place);
    return open_.size() <= std::size_t(kMostDepth);
  }
  bool close() {
    open_.pop_back();
    awaits_key_ = !open_.empty() && open_.back()->kind == Tree::Kind::map;
    return true;
  }
  void take_key(std::string key) {
    key_ = std::move(key);
    awaits_key_ = false;
  }
  bool awaits_key() const { return awaits_key_; }
  std::optional<Tree> grown() {
    if (!has_root_) return {};
    return std::move(root_);
  }

 private:
  Tree root_;
  bool has_root_ = false, awaits_key_ = false;
  std::vector<Tree*> open_;
  std::string key_;
};

Tree plain(std::string text) {
  Tree node;
  node.text = std::move(text);
  return node;
}

/// nlohmann's events.
struct JsonEvents {
  Grower grower;

  bool null() { return grower.add(plain("null"), false); }
  bool boolean(bool value) { return grower.add(plain(value ? "true" : "false"), false); }
  bool number_integer(std::int64_t value) {
    return grower.add(plain(std::to_string(value)), false);
  }
  bool number_unsigned(std::uint64_t value) {
    return grower.add(plain(std::to_string(value)), false);
  }
  bool number_float(double, const std::string& text) { return grower.add(plain(text), false); }
  bool string(std::string& text) {
    Tree node = plain(text);
    node.is_quoted = true;
    return grower.add(std::move(node), false);
  }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return grower.add(tree_of(Tree::Kind::map), true); }
  bool key(std::string& text) { return grower.take_key(text), true; }
  bool end_object() { return grower.close(); }
  bool start_array(std::size_t) { return grower.add(tree_of(Tree::Kind::list), true); }
  bool end_array() { return grower.close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) {
    return false;
  }
};

std::string text_of(const yaml_char_t* text) {
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

/// False for what the tree cannot hold.
bool take(const yaml_event_t& event, Grower& grower) {
  Tree node;
  switch (event.type) {
    case YAML_SCALAR_EVENT: {
      const auto& scalar = event.data.scalar;
      node.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
      if (grower.awaits_key()) return grower.take_key(node.text), true;
      node.is_quoted = scalar.style != YAML_PLAIN_SCALAR_STYLE;
      node.anchor = text_of(scalar.anchor);
      return grower.add(std::move(node), false);
    }
    case YAML_ALIAS_EVENT:
      node.kind = Tree::Kind::alias;
      node.text = text_of(event.data.alias.anchor);
      return !grower.awaits_key() && grower.add(std::move(node), false);
    case YAML_SEQUENCE_START_EVENT:
      node.kind = Tree::Kind::list;
      node.is_block = event.data.sequence_start.style == YAML_BLOCK_SEQUENCE_STYLE;
      node.anchor = text_of(event.data.sequence_start.anchor);
      return !grower.awaits_key() && grower.add(std::move(node), true);
    case YAML_MAPPING_START_EVENT:
      node.kind = Tree::Kind::map;
      node.is_block = event.data.mapping_start.style == YAML_BLOCK_MAPPING_STYLE;
      node.anchor = text_of(event.data.mapping_start.anchor);
      return !grower.awaits_key() && grower.add(std::move(node), true);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      return grower.close();
    default:
      return true;
  }
}

/// As JSON and YAML both read it.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A plain scalar of YAML keeps its meaning in quotes if it holds one of these: it is a text.
std::string yaml_scalar(const std::string& text, bool is_quoted) {
  if (!is_quoted && text.empty()) return "~";
  const bool is_special = text.find_first_of(",[]{}#&*!|>'\"%@`:?\\\n\r\t") != std::string::npos ||
                          text.front() == ' ' || text.back() == ' ' || text.starts_with("- ") ||
                          text == "-" || text == "---" || text == "...";
  return is_quoted || is_special ? quoted(text) : text;
}

void write_flow(const Tree& tree, bool is_json, std::string& out) {
  if (!is_json && !tree.anchor.empty()) out += '&' + tree.anchor + ' ';
  if (tree.kind == Tree::Kind::alias) {
    out += is_json ? "null" : '*' + tree.text + ' ';
  } else if (tree.kind == Tree::Kind::scalar) {
    if (is_json)
      out += tree.is_quoted ? quoted(tree.text) : tree.text;
    else
      out += yaml_scalar(tree.text, tree.is_quoted);
  } else {
    const bool is_map = tree.kind == Tree::Kind::map;
    out += is_map ? '{' : '[';
    for (const Tree& item : tree.items) {
      if (&item != &tree.items.front()) out += ", ";
      if (is_map)
        out += (is_json ? quoted(item.key) : yaml_scalar(item.key, item.key.empty())) + ": ";
      write_flow(item, is_json, out);
    }
    out += is_map ? '}' : ']';
  }
}

void write_block(const Tree& tree, std::size_t indent, std::string& out) {
  for (const Tree& item : tree.items) {
    const bool is_map = tree.kind == Tree::Kind::map;
    if (&item != &tree.items.front()) out += '\n' + std::string(indent, ' ');
    out += is_map ? yaml_scalar(item.key, item.key.empty()) + ":" : "-";
    if (!item.is_block || item.items.empty()) {
      out += ' ';
      write_flow(item, false, out);
      continue;
    }
    if (!item.anchor.empty()) out += " &" + item.anchor;
    if (is_map || !item.anchor.empty())
      out += '\n' + std::string(indent + 2, ' ');
    else
      out += ' ';
    write_block(item, indent + 2, out);
  }
}

void collect(Tree& tree, std::vector<Tree*>& found) {
  found.push_back(&tree);
  for (Tree& item : tree.items) collect(item, found);
}

}  // namespace

Tree tree_of(Tree::Kind kind, std::vector<Tree> items) {
  Tree tree;
  tree.kind = kind;
  tree.items = std::move(items);
  return tree;
}

std::optional<Tree> read_json(std::string_view text) {
  JsonEvents events;
  if (!nlohmann::json::sax_parse(text, &events)) return {};
  return events.grower.grown();
}

std::string json_text(const Tree& tree) {
  std::string out;
  write_flow(tree, true, out);
  return out;
}

std::optional<Tree> read_yaml(std::string_view text) {
  yaml_parser_t parser;
  if (yaml_parser_initialize(&parser) == 0) return {};
  const std::unique_ptr<yaml_parser_t, decltype(&yaml_parser_delete)> guard(&parser,
                                                                            yaml_parser_delete);
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()),
                               text.size());
  Grower grower;
  for (bool is_done = false; !is_done;) {
    yaml_event_t event;
    if (yaml_parser_parse(&parser, &event) == 0) return {};
    is_done = event.type == YAML_STREAM_END_EVENT;
    const bool is_taken = take(event, grower);
    yaml_event_delete(&event);
    if (!is_taken) return {};
  }
  return grower.grown();
}

std::string yaml_text(const Tree& tree) {
  std::string out;
  if (tree.is_block && !tree.items.empty())
    write_block(tree, 0, out);
  else
    write_flow(tree, false, out);
  return out + '\n';
}

std::vector<Tree*> nodes_of(Tree& root) {
  std::vector<Tree*> found;
  collect(root, found);
  return found;
}

}  // namespace plumbline::fuzz
