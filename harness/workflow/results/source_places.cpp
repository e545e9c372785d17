#include "workflow/results/source_places.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "suite/yaml/yaml.h"
#include "workflow/setup/git.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Extensions of files that are no code: a changed text does not make a case slower.
constexpr std::array<std::string_view, 10> kNoCode{".md",  ".txt",  ".rst", ".yaml", ".yml",
                                                   ".csv", ".json", ".svg", ".png",  ".html"};

constexpr std::size_t kLastLine = std::numeric_limits<std::size_t>::max();

/// What a benchmark of a suite's file says of its place and its code.
struct Benchmark {
  std::string op, name;  // `op:`, and `name:`, "" if it has none
  std::string source;    // relative to the root of the tree; "" if it declares none
  std::size_t line = 1, end_line = 1;
};

std::string text_of(const YamlNode& map, std::string_view key) {
  const auto entry = std::ranges::find(map.entries, key, &YamlEntry::key);
  const bool is_text = entry != map.entries.end() && entry->value != nullptr &&
                       entry->value->kind == YamlNode::Kind::scalar;
  return is_text ? entry->value->text : "";
}

/// Relative to the root; "" outside of it.
std::string within(const fs::path& root, const fs::path& path) {
  const std::string relative = fs::weakly_canonical(path).lexically_relative(root).string();
  return relative.starts_with("..") ? "" : relative;
}

/// The benchmarks of a suite's file; none if it cannot be read any more.
std::vector<Benchmark> benchmarks_of(const fs::path& root, const std::string& suite) {
  std::vector<Benchmark> found;
  try {
    const YamlFile file = read_yaml_file((root / suite).string());
    const YamlPtr document = parse_yaml(file);
    const auto list = std::ranges::find(document->entries, "benchmarks", &YamlEntry::key);
    if (list == document->entries.end() || list->value == nullptr) return {};
    for (const YamlPtr& item : list->value->items) {
      Benchmark made{text_of(*item, "op"), text_of(*item, "name"), "", item->at.line, kLastLine};
      if (!found.empty()) found.back().end_line = made.line - 1;
      for (const std::string_view key : {"source", "library"})
        if (const std::string path = text_of(*item, key); !path.empty() && made.source.empty())
          made.source = within(root, (root / suite).parent_path() / path);
      found.push_back(std::move(made));
    }
  } catch (const Error&) {
    found.clear();  // the suite was edited or is gone; the comparison stands without it
  }
  return found;
}

std::size_t number_at(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The candidate's side of the first hunk of a patch with `-U0`: `@@ -12,2 +14,3 @@`.
std::optional<SourcePlace> first_change(const std::string& file, const std::string& patch) {
  const std::size_t hunk = patch.find("\n@@ -");
  const std::size_t plus = hunk == std::string::npos ? hunk : patch.find(" +", hunk);
  if (plus == std::string::npos) return std::nullopt;
  const std::string range = patch.substr(plus + 2, patch.find(' ', plus + 2) - plus - 2);
  const std::size_t comma = range.find(',');
  const std::size_t lines = comma == std::string::npos ? 1 : number_at(range.substr(comma + 1));
  const std::size_t first = std::max<std::size_t>(1, number_at(range));  // 0: before the first line
  return SourcePlace{file, first, first + (lines > 1 ? lines - 1 : 0)};
}

/// What git says of the candidate's tree against the baseline's commit.
class Changes {
 public:
  explicit Changes(const Comparison& comparison) {
    const Environment &before = comparison.baseline.environment,
                      &now = comparison.candidate.environment;
    std::string folder = ".";
    if (const auto& asked = comparison.candidate.asked; asked && !asked->suites.empty())
      if (const fs::path suite(asked->suites.front()); fs::exists(suite))
        folder = suite.parent_path().string();
    for (const SuiteRef& suite : comparison.candidate.suites)
      for (const FileRef& file : suite.sources) read_by_suites_.insert(file.path);
    root_ = tree_in_git(folder).root;
    if (root_.empty() || before.commit.empty()) return;
    words_ = {"diff",          "-U0",          "--no-color",       "--no-ext-diff",
              "--no-textconv", "--no-renames", "--end-of-options", before.commit};
    if (now.dirty == false && !now.commit.empty()) words_.push_back(now.commit);
  }

  const std::string& root() const { return root_; }

  std::optional<SourcePlace> of(const std::string& file) const {
    if (words_.empty() || file.empty()) return std::nullopt;
    std::vector<std::string> words = words_;
    words.insert(words.end(), {"--", ":(top,literal)" + file});
    return first_change(file, git_text(root_, words));
  }

  /// The first changed file that may be code of something that is built: suites read the others.
  std::optional<SourcePlace> of_code() const {
    if (words_.empty()) return std::nullopt;
    std::vector<std::string> words = words_;
    words.insert(words.begin() + 1, {"--name-only", "-z"});
    words.emplace_back("--");
    const std::string names = git_text(root_, words);
    for (std::size_t begin = 0; begin < names.size();) {
      const std::size_t end = std::min(names.find('\0', begin), names.size());
      const std::string name = names.substr(begin, end - begin);
      begin = end + 1;
      const std::string extension = fs::path(name).extension().string();
      if (read_by_suites_.contains(name) || std::ranges::find(kNoCode, extension) != kNoCode.end())
        continue;
      if (const auto place = of(name)) return place;
    }
    return std::nullopt;
  }

  bool is_tracked(const std::string& file) const {
    return !git_text(root_, {"ls-files", "--", ":(top,literal)" + file}).empty();
  }

 private:
  std::string root_;
  std::set<std::string> read_by_suites_;
  std::vector<std::string> words_;  // empty: nothing can be compared
};

/// Code files of a suite whose content differs between the runs, or that only one of them has.
std::vector<std::string> changed_sources(const Comparison& comparison, const std::string& suite) {
  std::set<std::pair<std::string, std::string>> before;
  for (const SuiteRef& ref : comparison.baseline.suites)
    if (ref.name == suite)
      for (const FileRef& file : ref.sources) before.emplace(file.path, file.hash);
  std::vector<std::string> changed;
  for (const SuiteRef& ref : comparison.candidate.suites)
    if (ref.name == suite)
      for (const FileRef& file : ref.sources)
        if (!before.contains({file.path, file.hash})) changed.push_back(file.path);
  return changed;
}

/// The places of one suite's cases.
class SuitePlaces {
 public:
  SuitePlaces(const Comparison& comparison, const Changes& changes, const std::string& suite)
      : changes_(changes), changed_(changed_sources(comparison, suite)) {
    for (const SuiteRef& ref : comparison.candidate.suites)
      if (ref.name == suite && fs::path(ref.path).is_relative()) path_ = ref.path;
    if (!path_.empty()) benchmarks_ = benchmarks_of(changes.root(), path_);
  }

  std::optional<SourcePlace> of(const Finding& finding) const {
    const Benchmark* own = benchmark_of(finding);
    const std::string declared = own ? own->source : "";
    if (std::ranges::find(changed_, declared) != changed_.end())
      if (const auto place = changes_.of(declared)) return place;
    for (const std::string& file : changed_) {
      if (std::ranges::find(benchmarks_, file, &Benchmark::source) != benchmarks_.end()) continue;
      if (const auto place = changes_.of(file)) return place;
    }
    const bool is_built = !declared.empty() && !changes_.is_tracked(declared);
    if (is_built)
      if (const auto place = changes_.of_code()) return place;
    if (path_.empty()) return std::nullopt;
    return own ? declaration(*own) : SourcePlace{path_};
  }

 private:
  /// The benchmark in the suite's file: what changed there first, if it is within.
  SourcePlace declaration(const Benchmark& own) const {
    const auto changed = changes_.of(path_);
    const bool is_within = changed && changed->line >= own.line && changed->line <= own.end_line;
    return is_within ? *changed : SourcePlace{path_, own.line, own.line};
  }

  const Benchmark* benchmark_of(const Finding& finding) const {
    const std::string name = finding.case_id.substr(0, finding.case_id.find('/'));
    for (const Benchmark& benchmark : benchmarks_)
      if (benchmark.name == name || (benchmark.name.empty() && benchmark.op == finding.op))
        return &benchmark;
    return nullptr;
  }

  const Changes& changes_;
  std::vector<std::string> changed_;
  std::string path_;  // of the suite, relative to the root
  std::vector<Benchmark> benchmarks_;
};

}  // namespace

SourcePlaces source_places(const Comparison& comparison) {
  const Changes changes(comparison);
  if (changes.root().empty()) return {};
  std::map<std::string, SuitePlaces> suites;
  std::map<std::pair<std::string, std::string>, std::optional<SourcePlace>> of_op;
  SourcePlaces places;
  for (const Finding& finding : comparison.findings) {
    const std::string name = finding.case_id.substr(0, finding.case_id.find('/'));
    const auto [at, is_new] = of_op.try_emplace({finding.suite, name});
    if (is_new) {
      const auto suite =
          suites.try_emplace(finding.suite, comparison, changes, finding.suite).first;
      at->second = suite->second.of(finding);
    }
    if (at->second) places.emplace(CaseKey{finding.suite, finding.case_id}, *at->second);
  }
  return places;
}

}  // namespace plumbline
