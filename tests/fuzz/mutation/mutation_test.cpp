#include "fuzz/mutation/mutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "fuzz/mutation/table_changes.h"
#include "fuzz/mutation/tree_changes.h"
#include "suite/yaml/yaml.h"
#include "support/places.h"

namespace plumbline::fuzz {
namespace {

constexpr std::string_view kSuite = R"(suite: softmax
# what it measures
measure: {cache: [cold, hot], rounds: 3}
shapes:
  attention: [{rows: 4096, cols: 4096}, {rows: "8", cols: 128}]
benchmarks:
  - op: softmax
    sweep:
      shape: [$attention]
      n: {pow2: [10, 14]}
      dtype: [float32, float16]
    exclude: [{where: {cols: "> 5"}, reason: "a: b"}]
  - {op: "aten::relu", args: {self: 'randn[n]'}, sweep: {n: [1, 2], dtype: [float32]}}
  - &kept {op: relu}
  - *kept
)";
constexpr std::string_view kJson =
    R"({"format": 1, "runs": [{"case": "a/b", "times": [1.5, 2e-7, null]}, {}], "is": true, "": "é\n"})";
constexpr std::string_view kCsv =
    "case,status,samples,reason\na/b,OK,1;2|3,\nc/d,WRONG,,\"no, \"\"not\"\" this\nline\"\n";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> corpus_of(const std::string& target) {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(source_dir()) / "tests" / "fuzz" / "corpus" / target))
    texts.push_back(text_of(entry.path()));
  return texts;
}

YamlPtr parsed(const YamlFile& file) {
  try {
    return parse_yaml(file);
  } catch (const Error&) {
    return nullptr;
  }
}

bool is_yaml(const std::string& text) {
  const YamlFile file{"x.yaml", text};
  return parsed(file) != nullptr;
}

bool is_json(const std::string& text) { return nlohmann::json::accept(text); }

/// Rows of a table that are as long as the first.
bool is_table(const std::string& text) {
  const Cells cells = read_cells(text);
  return std::count(text.begin(), text.end(), '"') % 2 == 0 && cells.size() > 1 &&
         std::all_of(cells.begin(), cells.end(),
                     [&](const auto& row) { return row.size() == cells.front().size(); });
}

/// What a reader sees in it.
std::string seen(const YamlNode& node) {
  std::string text = std::to_string(int(node.kind)) + ':' + std::to_string(node.value.index()) +
                     (node.kind == YamlNode::Kind::scalar ? '<' + node.text + '>' : "") + '[';
  for (const YamlPtr& item : node.items) text += seen(*item) + ' ';
  for (const YamlEntry& entry : node.entries) text += entry.key + '=' + seen(*entry.value) + ' ';
  return text + ']';
}

constexpr int kTries = 600;

/// The share of changed texts that hold.
template <typename Holds>
double share(Grammar grammar, std::string_view text, Holds holds) {
  Dice dice(1);
  int count = 0;
  for (int i = 0; i < kTries; ++i) {
    const auto changed = changed_by_grammar(grammar, text, text, dice);
    count += changed && *changed != text && holds(*changed) ? 1 : 0;
  }
  return double(count) / kTries;
}

/// The same for one byte that is another.
template <typename Holds>
double share_of_bytes(std::string_view text, Holds holds) {
  Dice dice(1);
  int count = 0;
  for (int i = 0; i < kTries; ++i) {
    std::string changed(text);
    changed[dice.below(changed.size())] = char(dice.below(256));
    count += holds(changed) ? 1 : 0;
  }
  return double(count) / kTries;
}

TEST(Mutation, KeepsMostTextsReadableAndChangesThem) {
  EXPECT_GT(share(Grammar::yaml, kSuite, is_yaml), 0.5);
  EXPECT_GT(share(Grammar::json, kJson, is_json), 0.7);
  EXPECT_GT(share(Grammar::csv, kCsv, is_table), 0.5);
}

TEST(Mutation, KeepsMoreTextsReadableThanOneChangedByte) {
  EXPECT_GT(share(Grammar::yaml, kSuite, is_yaml), share_of_bytes(kSuite, is_yaml));
  EXPECT_GT(share(Grammar::json, kJson, is_json), share_of_bytes(kJson, is_json));
}

TEST(Mutation, BreaksSomeTextsToo) {
  EXPECT_LT(share(Grammar::yaml, kSuite, is_yaml), 0.99);
  EXPECT_LT(share(Grammar::json, kJson, is_json), 0.99);
  EXPECT_LT(share(Grammar::csv, kCsv, is_table), 0.99);
}

TEST(Mutation, RepeatsItselfWithTheSameDice) {
  for (const Grammar grammar : {Grammar::yaml, Grammar::json, Grammar::csv}) {
    const std::string_view text = grammar == Grammar::json ? kJson : kSuite;
    Dice first(7), second(7), third(8);
    const auto changed = changed_by_grammar(grammar, text, text, first);
    EXPECT_EQ(changed, changed_by_grammar(grammar, text, text, second));
    EXPECT_NE(changed, changed_by_grammar(grammar, text, text, third));
  }
}

TEST(Mutation, ReachesWhatBytesHardlyMake) {
  bool is_deep = false, is_wide = false, has_schema_key = false, is_shared = false;
  Dice dice(3);
  for (int i = 0; i < kTries; ++i) {
    const std::string text = *changed_by_grammar(Grammar::yaml, kSuite, kSuite, dice);
    is_deep |= text.find("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[") != std::string::npos;
    is_wide |= text.find(", 998, 999, 1000]") != std::string::npos;
    has_schema_key |= text.find("expect: ") != std::string::npos;
    is_shared |= text.find("*shared") != std::string::npos;
  }
  EXPECT_TRUE(is_deep);
  EXPECT_TRUE(is_wide);
  EXPECT_TRUE(has_schema_key);
  EXPECT_TRUE(is_shared);
}

TEST(Mutation, ChangesOnePartOfAnInputAndOneLineOfLines) {
  const Target two{"x", nullptr, {Grammar::yaml, Grammar::json}};
  const std::string lines = "{\"a\": 1}\n{\"b\": 2}\n";
  const std::string input = "a: 1\n=====\n" + lines;
  std::set<std::string> firsts, seconds;
  Dice dice(1);
  for (int i = 0; i < 100; ++i) {
    const auto changed = changed_by_grammar(two, input, input, dice);
    if (!changed) continue;
    const auto found = parts(*changed, 2);
    EXPECT_TRUE(found[0] == "a: 1\n" || found[1] == lines) << *changed;
    firsts.insert(found[0]);
    seconds.insert(found[1]);
  }
  EXPECT_GT(firsts.size(), 10u);
  EXPECT_GT(seconds.size(), 10u);
}

TEST(Mutation, LeavesWhatHasNoGrammar) {
  Dice dice(1);
  EXPECT_FALSE(changed_by_grammar(Target{"x", nullptr}, "abc", "abc", dice));
  EXPECT_FALSE(changed_by_grammar(Grammar::json, "{", "{", dice));
  EXPECT_FALSE(changed_by_grammar(Grammar::csv, "", "", dice));
}

/// A change that never does anything is a mistake in the table.
TEST(Mutation, EveryRowOfTheTablesChangesSomething) {
  Dice dice(1);
  const Tree suite = *read_yaml(kSuite);
  for (const TreeChange& change : tree_changes()) {
    bool has_changed = false;
    for (int i = 0; i < 50 && !has_changed; ++i) {
      Tree tree = suite;
      change.apply(tree, {suite, yaml_words(), dice});
      has_changed = yaml_text(tree) != yaml_text(suite);
    }
    EXPECT_TRUE(has_changed) << change.name;
  }
  const Cells cells = read_cells(kCsv);
  for (const TableChange& change : table_changes()) {
    bool has_changed = false;
    for (int i = 0; i < 50 && !has_changed; ++i) {
      Cells table = cells;
      change.apply(table, {cells, csv_words(), dice});
      has_changed = table != cells;
    }
    EXPECT_TRUE(has_changed) << change.name;
  }
}

/// Small and odd trees and tables, on which each change is made many times.
TEST(Mutation, HoldsOnOddInputs) {
  for (const std::string_view text :
       {"", "~", "[]", "{}", "5", "[[]]", "a:", "\"\"", ",", "\n", "\"", ",\n,"})
    for (const Grammar grammar : {Grammar::yaml, Grammar::json, Grammar::csv}) {
      Dice dice(2);
      for (int i = 0; i < 300; ++i) changed_by_grammar(grammar, text, kSuite, dice);
    }
}

TEST(MutationTree, OfYamlIsReadAgainAsItWas) {
  std::vector<std::string> texts = corpus_of("suite");
  texts.emplace_back(kSuite);
  int count = 0;
  for (const std::string& text : texts) {
    const YamlFile file{"x.yaml", text};
    const YamlPtr before = parsed(file);
    const auto tree = read_yaml(text);
    if (!before || !tree) continue;
    const YamlFile again{"x.yaml", yaml_text(*tree)};
    const YamlPtr after = parsed(again);
    ASSERT_TRUE(after) << text << "\n" << again.text;
    EXPECT_EQ(seen(*after), seen(*before)) << text << "\n" << again.text;
    ++count;
  }
  EXPECT_GT(count, 200);
}

TEST(MutationTree, OfJsonIsReadAgainAsItWas) {
  std::vector<std::string> texts = corpus_of("run");
  texts.emplace_back(kJson);
  int count = 0;
  for (const std::string& text : texts) {
    if (!is_json(text)) continue;
    const auto tree = read_json(text);
    ASSERT_TRUE(tree);
    EXPECT_EQ(nlohmann::json::parse(json_text(*tree)), nlohmann::json::parse(text));
    ++count;
  }
  EXPECT_GT(count, 10);
}

TEST(MutationTree, IsNotReadFromWhatItCannotHold) {
  EXPECT_FALSE(read_yaml("a: 1\n---\nb: 2\n"));
  EXPECT_FALSE(read_yaml("[a]: 1\n"));
  EXPECT_FALSE(read_yaml("a: [1"));
  EXPECT_FALSE(read_yaml(std::string(5000, '[') + std::string(5000, ']')));
  EXPECT_FALSE(read_json(std::string(5000, '[') + std::string(5000, ']')));
  EXPECT_FALSE(read_json("{\"a\": }"));
}

TEST(MutationTable, IsWrittenAsItWasRead) {
  std::vector<std::string> texts = corpus_of("results");
  std::erase_if(texts, [](const std::string& text) { return !text.ends_with('\n'); });
  EXPECT_GT(texts.size(), 20u);
  for (const std::string& text : texts) EXPECT_EQ(cells_text(read_cells(text)), text);
  EXPECT_EQ(read_cells(kCsv).size(), 3u);
  EXPECT_EQ(read_cells(kCsv)[2][3], "\"no, \"\"not\"\" this\nline\"");
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(MutationWords, AreThoseOfTheSchemas) {
  for (const char* key : {"benchmarks", "sweep", "pow2", "rounds", "suite", "rules"})
    EXPECT_TRUE(has(yaml_words().keys, key)) << key;
  EXPECT_TRUE(has(yaml_words().values, "bfloat16"));
  EXPECT_TRUE(has(csv_words().keys, "samples"));
  EXPECT_TRUE(has(json_words().keys, "hello"));
  EXPECT_FALSE(json_words().values.empty());
}

}  // namespace
}  // namespace plumbline::fuzz
