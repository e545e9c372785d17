#include "suite/yaml/yaml.h"

#include <yaml.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "core/error.h"

namespace plumbline {
namespace {

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostNodes = 4'000'000;

YamlPlace place(const YamlFile& file, const yaml_mark_t& mark) {
  return {&file, std::uint32_t(mark.line + 1), std::uint32_t(mark.column + 1)};
}

std::string_view text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string_view{} : reinterpret_cast<const char*>(text);
}

/// Builds the tree. Keys and values of a map alternate, so a frame stores its open key.
class TreeBuilder {
 public:
  explicit TreeBuilder(const YamlFile& file) : file_(file) {}

  YamlPtr root() const { return root_; }

  void take(const yaml_event_t& event) {
    const YamlPlace at = place(file_, event.start_mark);
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        return start_document(at);
      case YAML_ALIAS_EVENT:
        return take_alias(at, text_of(event.data.alias.anchor));
      case YAML_SCALAR_EVENT:
        return take_scalar(at, event.data.scalar);
      case YAML_SEQUENCE_START_EVENT:
        return open(at, event.data.sequence_start, YamlNode::Kind::list);
      case YAML_MAPPING_START_EVENT:
        return open(at, event.data.mapping_start, YamlNode::Kind::map);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return close();
      default:
        return;
    }
  }

 private:
  struct Frame {
    std::shared_ptr<YamlNode> node;
    std::string anchor;
    bool has_key = false;
  };

  void start_document(const YamlPlace& at) {
    if (++documents_ > 1)
      fail_at(at, "found a second document; a file holds one ('---' starts one)");
  }

  void take_alias(const YamlPlace& at, std::string_view name) {
    for (const Frame& frame : frames_)
      if (frame.anchor == name) fail_at(at, "this alias refers to a node that contains it");
    const auto found = anchors_.find(name);
    if (found == anchors_.end())
      fail_at(at, "not valid YAML: this alias (*name) has no anchor (&name) before it");
    add(found->second, at);
  }

  void take_scalar(const YamlPlace& at, const decltype(yaml_event_t::data.scalar)& scalar) {
    const std::string_view tag = text_of(scalar.tag);
    const bool is_plain = tag.empty() && scalar.style == YAML_PLAIN_SCALAR_STYLE;
    std::string text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    // Most keys are plain names and need no node.
    const bool is_key = !frames_.empty() && is_key_next() && scalar.anchor == nullptr;
    if (is_key && is_plain && text.find_first_of("~nN") != 0 && !text.empty())
      return add_key(std::move(text), at);
    auto node = leaf(at);
    node->kind = YamlNode::Kind::scalar;
    node->text = std::move(text);
    if (is_plain)
      resolve(*node);
    else if (tag.empty() || tag == "!" || tag == YAML_STR_TAG)
      node->value = node->text;
    else
      fail_on_tag(at, tag);
    add(remember(text_of(scalar.anchor), std::move(node)));
  }

  std::shared_ptr<YamlNode> leaf(const YamlPlace& at) const {
    auto node = std::make_shared<YamlNode>();
    node->at = at;
    return node;
  }

  void resolve(YamlNode& node) const {
    try {
      if (auto value = core_schema_value(node.text))
        node.value = *std::move(value);
      else
        node.kind = YamlNode::Kind::null;
    } catch (const Error& error) {
      fail_at(node.at, error.what());
    }
  }

  [[noreturn]] static void fail_on_tag(const YamlPlace& at, std::string_view tag) {
    fail_at(at, "found the tag '" + std::string(tag) +
                    "'; tags are not used here: quote a text instead");
  }

  YamlPtr remember(std::string_view anchor, YamlPtr node) {
    if (!anchor.empty()) anchors_.insert_or_assign(std::string(anchor), node);
    return node;
  }

  /// `start`: the start event of a list or a map.
  void open(const YamlPlace& at, const auto& start, YamlNode::Kind kind) {
    Frame frame{leaf(at), std::string(text_of(start.anchor)), false};
    frame.node->kind = kind;
    if (const auto tag = text_of(start.tag); !tag.empty() && tag != "!") fail_on_tag(at, tag);
    if (frames_.size() >= kDeepest)
      fail_at(at, "lists and maps are nested deeper than " + std::to_string(kDeepest) + " levels");
    if (!frames_.empty() && is_key_next()) fail_on_key(*frame.node);
    frames_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    check_keys(frame.node->entries);
    add(remember(frame.anchor, std::move(frame.node)));
  }

  /// Requires unique keys in a map; the message names the first repeated key in the file.
  static void check_keys(const std::vector<YamlEntry>& entries) {
    std::vector<const YamlEntry*> sorted;
    sorted.reserve(entries.size());
    for (const YamlEntry& entry : entries) sorted.push_back(&entry);
    std::ranges::sort(sorted, [](const YamlEntry* a, const YamlEntry* b) {
      return a->key != b->key ? a->key < b->key : a < b;
    });
    const YamlEntry* repeated = nullptr;
    const YamlEntry* first = nullptr;
    for (std::size_t i = 1; i < sorted.size(); ++i)
      if (sorted[i]->key == sorted[i - 1]->key && (repeated == nullptr || sorted[i] < repeated)) {
        repeated = sorted[i];
        first = sorted[i - 1];
      }
    if (repeated != nullptr)
      fail_at(repeated->at, "found the key '" + repeated->key + "' a second time (first on line " +
                                std::to_string(first->at.line) + "); each key may stand once");
  }

  bool is_key_next() const {
    return frames_.back().node->kind == YamlNode::Kind::map && !frames_.back().has_key;
  }

  [[noreturn]] static void fail_on_key(const YamlNode& key) {
    const std::string kind = key.kind == YamlNode::Kind::list  ? "a list"
                             : key.kind == YamlNode::Kind::map ? "a map"
                                                               : "nothing (null)";
    fail_at(key.at, "found " + kind +
                        " as a key; a key is a name (or a '[' or '{' before this "
                        "place is not closed)");
  }

  void add(YamlPtr node) { add(node, node->at); }

  void add(const YamlPtr& node, const YamlPlace& at) {
    if (frames_.empty()) {
      root_ = node;
      return;
    }
    if (is_key_next()) {
      if (node->kind != YamlNode::Kind::scalar) fail_on_key(*node);
      return add_key(node->text, at);
    }
    Frame& frame = frames_.back();
    frame.node->size += node->size;
    if (frame.node->size > kMostNodes)
      fail_at(at, "aliases and lists grow this document beyond " + std::to_string(kMostNodes) +
                      " values");
    if (frame.node->kind == YamlNode::Kind::list) {
      frame.node->items.push_back(node);
    } else {
      frame.node->entries.back().value = node;
      frame.has_key = false;
    }
  }

  void add_key(std::string key, const YamlPlace& at) {
    if (key == "<<")
      fail_at(at,
              "found the merge key '<<'; it is not part of YAML 1.2: repeat the keys, or use "
              "an anchor on the whole value");
    Frame& frame = frames_.back();
    frame.node->entries.push_back({std::move(key), at, nullptr});
    frame.has_key = true;
  }

  const YamlFile& file_;
  YamlPtr root_;
  int documents_ = 0;
  std::vector<Frame> frames_;
  std::map<std::string, YamlPtr, std::less<>> anchors_;
};

/// A message of libyaml, and ours for readers who do not know its grammar. It is shown where
/// libyaml noticed the mistake, or where the faulty text starts, or at the first with the second
/// named.
struct SyntaxProblem {
  std::string_view theirs, ours;
  enum class Place { noticed, start, noticed_and_start } place = Place::noticed;
};
using enum SyntaxProblem::Place;
constexpr std::array<SyntaxProblem, 10> kSyntaxProblems{{
    {"mapping values are not allowed in this context",
     "a second ': ' on this line; quote a text that contains ': '"},
    {"did not find expected key", "this line's indentation fits no list or map above it"},
    {"did not find expected '-' indicator",
     "a list ends here without a '- ', or its indentation is wrong"},
    {"did not find expected ',' or '}'", "a '{' is not closed, or a ',' is missing",
     noticed_and_start},
    {"did not find expected ',' or ']'", "a '[' is not closed, or a ',' is missing",
     noticed_and_start},
    {"did not find expected node content",
     "a value is missing here, or a '[' or '{' before this place is not closed"},
    {"found character that cannot start any token",
     "a text may not start with this character; quote it"},
    {"block sequence entries are not allowed in this context",
     "a '- ' cannot stand here; it starts a line, indented with blanks"},
    {"could not find expected ':'", "a key without a ': ' after it", start},
    {"found unexpected end of stream", "this quote is never closed", start},
}};

/// libyaml's messages about tabs in the indentation are misleading; this one names the tab.
void fail_on_tab(const YamlFile& file, std::uint32_t last_line) {
  std::istringstream lines(file.text);
  std::string line;
  for (std::uint32_t number = 1; number <= last_line && std::getline(lines, line); ++number) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line[first] == '\t')
      fail_at({&file, number, std::uint32_t(first + 1)},
              "found a tab in the indentation; YAML is indented with blanks");
  }
}

/// Quotes within quotes end a text early; what follows on the line is then no key.
void fail_behind_quote(const YamlPlace& at) {
  const std::string_view rest = rest_of_line(at);
  const std::string_view line = rest_of_line({at.file, at.line, 1});
  const std::string_view before = line.substr(0, line.size() - rest.size());
  const std::size_t last = before.find_last_not_of(' ');
  if (last == std::string_view::npos || (before[last] != '"' && before[last] != '\'')) return;
  const std::string inner = before[last] == '"' ? "\\\"" : "''";
  fail_at(at,
          "not valid YAML: the text in quotes ends before this place, and more follows; leave "
          "out the outer or the inner quotes, or write the inner ones as " +
              inner);
}

[[noreturn]] void fail_on_syntax(const YamlFile& file, const yaml_parser_t& parser) {
  const YamlPlace at = place(file, parser.problem_mark), from = place(file, parser.context_mark);
  fail_on_tab(file, at.line);
  const std::string theirs = parser.problem == nullptr ? "out of memory" : parser.problem;
  if (theirs == "did not find expected key") fail_behind_quote(at);
  const auto known = std::ranges::find(kSyntaxProblems, theirs, &SyntaxProblem::theirs);
  if (known == kSyntaxProblems.end()) fail_at(at, "not valid YAML: " + theirs);
  std::string message = "not valid YAML: " + std::string(known->ours);
  if (known->place == noticed_and_start)
    message += " (opened at " + std::to_string(from.line) + ':' + std::to_string(from.column) + ')';
  fail_at(known->place == start ? from : at, message);
}

}  // namespace

std::size_t characters(std::string_view text) {
  return std::size_t(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string_view rest_of_line(const YamlPlace& place) {
  std::string_view rest = place.file->text;
  for (std::uint32_t line = 1; line < place.line; ++line)
    rest.remove_prefix(std::min(rest.size(), rest.find('\n') + 1));
  rest = rest.substr(0, rest.find('\n'));
  std::size_t start = 0;
  for (std::uint32_t column = 1; start < rest.size(); ++start)
    if ((rest[start] & 0xc0) != 0x80 && column++ == place.column) break;
  return rest.substr(start);
}

void fail_at(const YamlPlace& place, const std::string& message) {
  std::string prefix = place.file->path;
  if (place.line > 0 && place.file->has_lines)
    prefix += ':' + std::to_string(place.line) + ':' + std::to_string(place.column);
  throw Error(prefix + ": " + message);
}

YamlPtr parse_yaml(const YamlFile& file) {
  yaml_parser_t parser;
  if (yaml_parser_initialize(&parser) == 0) throw Error(file.path + ": out of memory");
  const std::unique_ptr<yaml_parser_t, decltype(&yaml_parser_delete)> guard(&parser,
                                                                            yaml_parser_delete);
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(file.text.data()),
                               file.text.size());
  TreeBuilder builder(file);
  for (bool is_at_end = false; !is_at_end;) {
    yaml_event_t event;
    if (yaml_parser_parse(&parser, &event) == 0) fail_on_syntax(file, parser);
    const std::unique_ptr<yaml_event_t, decltype(&yaml_event_delete)> owner(&event,
                                                                            yaml_event_delete);
    is_at_end = event.type == YAML_STREAM_END_EVENT;
    builder.take(event);
  }
  if (!builder.root() || builder.root()->kind == YamlNode::Kind::null)
    fail_at({&file, 0, 0}, "the file holds nothing but blanks and comments");
  return builder.root();
}

}  // namespace plumbline
