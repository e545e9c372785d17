#include "suite/shapes.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "core/error.h"
#include "core/run/case.h"
#include "suite/schema/keys.h"
#include "suite/yaml/file_limits.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

void check_name(const YamlEntry& entry) {
  if (entry.key.empty() || entry.key.starts_with('$'))
    fail_at(entry.at, "found '" + entry.key +
                          "' as the name of a shape; it is declared without "
                          "'$' and used with it");
}

void check_rows(const YamlEntry& entry) {
  const std::string what = "shape '" + entry.key + "'";
  const YamlNode& rows = *entry.value;
  if (rows.kind != YamlNode::Kind::list || rows.items.empty())
    fail_on_kind(rows, what, "a list of at least one row: [{rows: 1, cols: 2}]");
  for (const YamlPtr& row : rows.items) {
    if (row->kind != YamlNode::Kind::map)
      fail_on_kind(*row, "a row of " + what, "a map: {rows: 1, cols: 2}");
    for (const YamlEntry& value : row->entries)
      if (value.value->kind != YamlNode::Kind::scalar)
        fail_on_kind(*value.value, "'" + value.key + "' in a row of " + what, "a scalar");
  }
}

std::string words_of(const YamlPlace& at) {
  return at.file->path + ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
}

class ShapesReader {
 public:
  explicit ShapesReader(const YamlFile& suite) : open_{fs::weakly_canonical(suite.path)} {}

  SuiteShapes read(const YamlNode& node, const YamlFile& file) {
    add(node, file);
    return std::move(shapes_);
  }

 private:
  /// Adds the lists of one file's `shapes:`.
  void add(const YamlNode& node, const YamlFile& file) {
    if (node.kind != YamlNode::Kind::map)
      fail_on_kind(node, "'shapes'", "a map: name: [{rows: 1, cols: 2}, …]");
    for (const YamlEntry& entry : node.entries) {
      if (entry.key == kShapesFrom) {
        add_files(entry.value, file);
        continue;
      }
      check_name(entry);
      check_rows(entry);
      const auto [first, is_new] = places_.emplace(entry.key, entry.at);
      if (!is_new)
        fail_at(entry.at, "the shape '" + entry.key + "' is defined here and at " +
                              words_of(first->second) + "; each name may stand once");
      shapes_.by_name.emplace(entry.key, entry.value);
    }
  }

  void add_files(const YamlPtr& node, const YamlFile& file) {
    const fs::path folder = fs::path(file.path).parent_path();
    std::set<fs::path> named;
    for (const YamlPtr& item : read_items(node, "'from' in 'shapes'")) {
      if (item->kind != YamlNode::Kind::scalar)
        fail_on_kind(*item, "'from' in 'shapes'",
                     "a file of shapes or a list of files: from: networks/llama.yaml; a list of "
                     "rows needs another name");
      const fs::path path = (folder / read_text(*item, "'from' in 'shapes'")).lexically_normal();
      if (const std::string mistake = naming_mistake(file, path); !mistake.empty())
        fail_at(item->at, "found '" + item->text + "': " + mistake);
      std::error_code problem;
      const fs::path whole = fs::weakly_canonical(path, problem);
      if (problem)
        fail_at(item->at,
                "the file of shapes '" + item->text + "' cannot be reached: " + problem.message());
      if (!named.insert(whole).second)
        fail_at(item->at, "the file '" + item->text + "' is named twice; once is enough");
      check_circle(*item, whole);
      if (done_.contains(whole)) continue;
      open_.push_back(whole);
      add_file(*item, path, whole, file);
      open_.pop_back();
      done_.insert(whole);
    }
  }

  void add_file(const YamlNode& name, const fs::path& path, const fs::path& whole,
                const YamlFile& from) {
    try {
      shapes_.texts.push_back(std::make_unique<YamlFile>(read_yaml_file(path.string())));
    } catch (const Error& error) {
      fail_at(name.at, "the file of shapes '" + name.text + "': " + error.what() +
                           " (paths in 'from' begin at the folder of the file that has it)");
    }
    shapes_.texts.back()->limits = from.limits;
    const YamlFile& file = *shapes_.texts.back();
    shapes_.files.push_back({whole.string(), stable_hash_text(file.text)});
    const YamlPtr root = parse_yaml(file);
    check_keys(*root, kSuiteKeys, "a file of shapes");
    add(*required(*root, "shapes", "this file, which 'from' at " + words_of(name.at) + " names,",
                  ": shapes: {name: [{rows: 1, cols: 2}]}"),
        file);
  }

  void check_circle(const YamlNode& name, const fs::path& whole) const {
    const auto first = std::ranges::find(open_, whole);
    if (first == open_.end()) return;
    std::string circle;
    for (auto file = first; file != open_.end(); ++file) circle += file->string() + " -> ";
    fail_at(name.at, "these files read each other's shapes: " + circle + whole.string() +
                         "; move what they share to a file of its own");
  }

  SuiteShapes shapes_;
  std::map<std::string, YamlPlace, std::less<>> places_;  // of the names
  std::vector<fs::path> open_;                            // being read, the suite first
  std::set<fs::path> done_;
};

}  // namespace

SuiteShapes read_shapes(const YamlNode& shapes, const YamlFile& suite) {
  return ShapesReader(suite).read(shapes, suite);
}

}  // namespace plumbline
