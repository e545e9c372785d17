#include "suite/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <utility>

#include "core/error.h"

namespace plumbline {
namespace {

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostNodes = 4'000'000;

YamlPlace place(const YamlFile& file, const YAML::Mark& mark) {
  return {&file, std::uint32_t(std::max(mark.line, 0) + 1),
          std::uint32_t(std::max(mark.column, 0) + 1)};
}

/// Builds the tree. A map alternates between keys and values, so a frame remembers its open key.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const YamlFile& file) : file_(file) {}

  YamlPtr root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      fail_at(place(file_, mark), "found a second document; a file holds one ('---' starts one)");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto node = leaf(mark);
    // A value that is left out stands at its key, not where yaml-cpp went on to look for it.
    if (!frames_.empty() && frames_.back().has_key) {
      const YamlPlace& key = frames_.back().node->entries.back().at;
      if (key.line != node->at.line) node->at = key;
    }
    add(remember(anchor, std::move(node)));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      fail_at(place(file_, mark), "this alias stands inside of what it refers to");
    add(found->second, place(file_, mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    auto node = leaf(mark);
    node->kind = YamlNode::Kind::scalar;
    node->text = text;
    node->value = text;
    if (tag == "!") check_closing_quote(node->at);
    if (tag == "?" || tag.empty())
      resolve(*node);
    else if (tag != "!" && tag != "tag:yaml.org,2002:str")
      fail_on_tag(node->at, tag);
    add(remember(anchor, std::move(node)));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::list);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    std::shared_ptr<YamlNode> node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    std::map<std::string, std::uint32_t, std::less<>> lines;  // of the keys so far
  };

  std::shared_ptr<YamlNode> leaf(const YAML::Mark& mark) const {
    auto node = std::make_shared<YamlNode>();
    node->at = place(file_, mark);
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

  [[noreturn]] static void fail_on_tag(const YamlPlace& at, const std::string& tag) {
    fail_at(at, "found the tag '" + tag + "'; tags are not used here: quote a text instead");
  }

  YamlPtr remember(YAML::anchor_t anchor, YamlPtr node) {
    if (anchor != 0) anchors_[anchor] = node;
    return node;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    Frame frame{leaf(mark), anchor, false, {}};
    frame.node->kind = kind;
    if (tag != "?" && tag != "!" && !tag.empty()) fail_on_tag(frame.node->at, tag);
    if (frames_.size() >= kDeepest)
      fail_at(frame.node->at,
              "lists and maps are nested deeper than " + std::to_string(kDeepest) + " levels");
    if (!frames_.empty() && is_key_next()) fail_on_key(*frame.node);
    frames_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    add(remember(frame.anchor, std::move(frame.node)));
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
    if (is_key_next()) return add_key(*node, at);
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

  void add_key(const YamlNode& key, const YamlPlace& at) {
    if (key.kind != YamlNode::Kind::scalar) fail_on_key(key);
    if (key.text == "<<")
      fail_at(at,
              "found the merge key '<<'; it is not part of YAML 1.2: repeat the keys, or use "
              "an anchor on the whole value");
    Frame& frame = frames_.back();
    const auto [first, is_new] = frame.lines.emplace(key.text, at.line);
    if (!is_new)
      fail_at(at, "found the key '" + key.text + "' a second time (first on line " +
                      std::to_string(first->second) + "); each key may stand once");
    frame.node->entries.push_back({key.text, at, nullptr});
    frame.has_key = true;
  }

  /// yaml-cpp takes the end of the file for the end of a quoted text.
  void check_closing_quote(const YamlPlace& at) {
    std::string_view rest = file_.text;
    for (; line_ < at.line; ++line_) line_start_ = rest.find('\n', line_start_) + 1;
    rest.remove_prefix(std::min(rest.size(), line_start_ + at.column - 1));
    while (rest.starts_with('&') || rest.starts_with('!')) {
      rest.remove_prefix(std::min(rest.size(), rest.find_first_of(" \t\r\n")));
      rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t\r\n")));
    }
    if (rest.empty() || (rest[0] != '"' && rest[0] != '\'')) return;
    const char quote = rest[0];
    for (std::size_t i = 1; i < rest.size(); ++i) {
      if (quote == '"' && rest[i] == '\\')
        ++i;
      else if (rest[i] == quote)
        return;
    }
    fail_at(at, std::string("this ") + quote + " is never closed");
  }

  const YamlFile& file_;
  YamlPtr root_;
  int documents_ = 0;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, YamlPtr> anchors_;
  std::uint32_t line_ = 1;  // the line that starts at line_start_
  std::size_t line_start_ = 0;
};

/// yaml-cpp's words, and what a reader who does not know its grammar can do with them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kInPlainWords{{
    {"illegal map value", "a second ': ' on this line; quote a text that contains ': '"},
    {"end of map not found", "this line's indentation fits no list or map above it"},
    {"end of sequence not found", "a list ends here without a '- ', or its indentation is wrong"},
    {"end of map flow not found", "a '{' before this place is not closed, or a ',' is missing"},
    {"end of sequence flow not found",
     "a '[' before this place is not closed, or a ',' is missing"},
    {"the referenced anchor is not defined", "this alias (*name) has no anchor (&name) before it"},
    {"unknown token", "a text may not start with this character; quote it"},
    {"illegal block entry", "a '- ' cannot stand here; it starts a line, indented with blanks"},
    {"bad file", "lists and maps are nested too deeply"},
}};

/// Tabs in indentation lead yaml-cpp to all kinds of words; the tab is what is wrong.
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

[[noreturn]] void fail_on_syntax(const YamlFile& file, const YAML::ParserException& error) {
  const YamlPlace at = place(file, error.mark);
  fail_on_tab(file, at.line);
  std::string message = error.msg;
  for (const auto& [theirs, ours] : kInPlainWords)
    if (error.msg == theirs) message = ours;
  fail_at(at, "not valid YAML: " + message);
}

}  // namespace

void fail_at(const YamlPlace& place, const std::string& message) {
  std::string prefix = place.file->path;
  if (place.line > 0 && place.file->has_lines) {
    std::istringstream lines(place.file->text);
    std::string line;
    for (std::uint32_t i = 0; i < place.line; ++i)
      if (!std::getline(lines, line)) line.clear();
    // UTF-8: what continues a character is not a column of its own
    const auto end = line.begin() + std::min<std::ptrdiff_t>(place.column - 1, std::ssize(line));
    const auto inside = std::count_if(line.begin(), end, [](char c) { return (c & 0xc0) == 0x80; });
    prefix += ':' + std::to_string(place.line) + ':' + std::to_string(place.column - inside);
  }
  throw Error(prefix + ": " + message);
}

YamlPtr parse_yaml(const YamlFile& file) {
  std::istringstream in(file.text);
  TreeBuilder builder(file);
  try {
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::ParserException& error) {
    fail_on_syntax(file, error);
  }
  if (!builder.root() || builder.root()->kind == YamlNode::Kind::null)
    fail_at({&file, 0, 0}, "the file holds nothing but blanks and comments");
  return builder.root();
}

}  // namespace plumbline
