#include "workflow/sides/side_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/words.h"
#include "schedule/rows.h"
#include "store/file.h"

namespace plumbline {
namespace {

CaseKey key_of(const Case& c) { return {c.suite, c.id}; }

/// Today's ids of a's cases, as b's suites rename them.
using TodaysIds = std::map<CaseKey, std::string>;

TodaysIds todays_ids(const LoadedSuites& b) {
  TodaysIds ids;
  for (const Suite& suite : b.suites)
    for (const auto& [before, after] : suite.renames) ids[{suite.name, before}] = after;
  return ids;
}

/// Follows several renames; suites guarantee that they are not circular.
std::string todays_id(const Case& c, const TodaysIds& ids) {
  std::string id = c.id;
  for (auto found = ids.find({c.suite, id}); found != ids.end(); found = ids.find({c.suite, id}))
    id = found->second;
  return id;
}

/// The selected cases; `error` says why there are none.
std::vector<Case> selected(const std::vector<Case>& cases, const Selection& selection,
                           std::string& error) {
  try {
    return select(cases, selection);
  } catch (const Error& mistake) {
    error = mistake.what();
    return {};
  }
}

class Matching {
 public:
  Matching(const LoadedSuites& a, const LoadedSuites& b) : ids_(todays_ids(b)) {
    for (const Case& c : a.cases) of_a_.try_emplace({c.suite, todays_id(c, ids_)}, &c);
    for (const Case& c : b.cases) of_b_.insert(key_of(c));
  }

  void add_of_b(const Case& c, bool with_single) {
    const auto found = of_a_.find(key_of(c));
    const Case* const before = found == of_a_.end() ? nullptr : found->second;
    const std::string why = why_unpaired(before, c);
    if (why.empty()) return add(named_as(*before, c), keep(c));
    made_.unpaired[key_of(c)] = why;
    if (!with_single) return;
    add_single(c, 1);
    if (before) add_single(*named_as(*before, c), 0);
  }

  /// Adds a case of a that b does not declare.
  void add_of_a(const Case& c) {
    if (!of_b_.contains({c.suite, todays_id(c, ids_)})) add_single(c, 0);
  }

  SideCases take() { return std::move(made_); }

 private:
  static std::string why_unpaired(const Case* before, const Case& c) {
    if (!before) return "has no such case";
    if (!is_runnable(*before))
      return "cannot measure it: " +
             (before->excluded.empty() ? before->unsupported : before->excluded);
    if (!is_runnable(c)) return "has it, and the other side cannot measure it";
    if (before->revision != c.revision) return "has another problem of that name";
    return "";
  }

  const Case* keep(Case c) { return &made_.owned.emplace_back(std::move(c)); }

  /// A case of a under its current name: inputs, placements and results depend on names.
  const Case* named_as(Case before, const Case& today) {
    before.id = today.id;
    return keep(std::move(before));
  }

  void add(const Case* a, const Case* b) {
    made_.cases.push_back(b ? *b : *a);
    made_.declared[0].push_back(a);
    made_.declared[1].push_back(b);
  }

  void add_single(const Case& c, std::size_t side) {
    if (is_runnable(c)) {
      const Case* const kept = keep(c);
      return add(side == 0 ? kept : nullptr, side == 1 ? kept : nullptr);
    }
    const bool is_excluded = !c.excluded.empty();
    made_.unmeasured[side].push_back(
        unmeasured_row(c, is_excluded ? Status::excluded : Status::unsupported,
                       is_excluded ? c.excluded : c.unsupported));
  }

  TodaysIds ids_;
  std::map<CaseKey, const Case*> of_a_;  // by today's id
  std::set<CaseKey> of_b_;
  SideCases made_;
};

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines(1);
  for (const char c : read_text(path)) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

std::string trimmed(const std::string& line) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

/// "line 7: `block: 256` is `block: 64`, and 2 more lines": the first place where two texts differ,
/// and the number of lines up to the last difference.
std::string first_difference(std::vector<std::string> a, std::vector<std::string> b) {
  const auto [from_a, from_b] = std::ranges::mismatch(a, b);
  const auto number = from_b - b.begin() + 1;
  a.erase(a.begin(), from_a);
  b.erase(b.begin(), from_b);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.pop_back();
    b.pop_back();
  }
  const std::string before = a.empty() ? "" : trimmed(a.front());
  const std::string now = b.empty() ? "" : trimmed(b.front());
  const std::size_t more = std::max(a.size(), b.size()) - 1;
  std::string text = fmt::format("line {}: ", number);
  if (a.empty())
    text += fmt::format("`{}` is new", now);
  else if (b.empty())
    text += fmt::format("`{}` is gone", before);
  else
    text += fmt::format("`{}` is now `{}`", before, now);
  return more == 0 ? text : text + fmt::format(", and {} below it", counted(more, "more line"));
}

const Suite* suite_named(const LoadedSuites& loaded, const std::string& name) {
  const auto found = std::ranges::find(loaded.suites, name, &Suite::name);
  return found == loaded.suites.end() ? nullptr : &*found;
}

/// The path of a file of shapes as the suite's folder sees it, which is the same on both sides.
std::string seen_from(const Suite& suite, const FileRef& file) {
  const auto folder = std::filesystem::weakly_canonical(suite.path).parent_path();
  return std::filesystem::path(file.path).lexically_relative(folder).string();
}

/// Where files of shapes that both sides read differ, a sentence for each.
std::vector<std::string> shape_changes(const Suite& before, const Suite& now,
                                       const std::array<std::string, 2>& names) {
  std::vector<std::string> sentences;
  for (const FileRef& was : before.shape_files)
    for (const FileRef& is : now.shape_files)
      if (seen_from(before, was) == seen_from(now, is) && was.hash != is.hash)
        sentences.push_back(
            fmt::format("The shapes in {} that the suite {} of {} reads are not those of {} ({}).",
                        seen_from(now, is), now.name, names[1], names[0],
                        first_difference(lines_of(was.path), lines_of(is.path))));
  return sentences;
}

/// Measuring options that differ between the sides' cases, and how many thresholds differ.
struct HowChanges {
  std::set<std::string> options;
  std::size_t thresholds = 0;
};

HowChanges how_changes(const LoadedSuites& a, const LoadedSuites& b, const std::string& suite) {
  std::map<CaseKey, const Case*> of_a;
  for (const Case& c : a.cases)
    if (c.suite == suite) of_a.emplace(key_of(c), &c);
  HowChanges changes;
  for (const Case& c : b.cases) {
    const auto found = of_a.find(key_of(c));
    if (found == of_a.end()) continue;
    const Case& before = *found->second;
    changes.thresholds += before.threshold != c.threshold;
    for (const PolicyField& field : policy_fields())
      std::visit(
          [&](auto member) {
            if ((*before.policy).*member != (*c.policy).*member)
              changes.options.insert(std::string(field.name));
          },
          field.member);
  }
  return changes;
}

}  // namespace

SideCases match_cases(const LoadedSuites& a, const LoadedSuites& b, const Selection& selection,
                      const std::set<CaseKey>* named) {
  Matching matching(a, b);
  if (named) {
    for (const Case& c : b.cases)
      if (named->contains(key_of(c))) matching.add_of_b(c, /*with_single=*/false);
    return matching.take();
  }
  std::string error_a, error_b;
  const std::vector<Case> of_b = selected(b.cases, selection, error_b);
  const std::vector<Case> of_a = selected(a.cases, selection, error_a);
  if (of_a.empty() && of_b.empty())
    throw Error(!error_b.empty() ? error_b
                : !error_a.empty()
                    ? error_a
                    : fmt::format("no case is selected: of {} none fits {}",
                                  counted(b.cases.size(), "case"), words_of(selection)));
  for (const Case& c : of_b) matching.add_of_b(c, /*with_single=*/true);
  for (const Case& c : of_a) matching.add_of_a(c);
  return matching.take();
}

namespace {

std::set<std::string> ids_of(const LoadedSuites& loaded, const std::string& suite) {
  std::set<std::string> ids;
  for (const Case& c : loaded.cases)
    if (c.suite == suite) ids.insert(c.id);
  return ids;
}

/// Suites that only one side has and whose cases have the same ids.
std::vector<std::string> renamed_suites(const LoadedSuites& a, const LoadedSuites& b,
                                        const std::array<std::string, 2>& names) {
  std::vector<std::string> sentences;
  for (const Suite& now : b.suites) {
    if (suite_named(a, now.name)) continue;
    const std::set<std::string> ids = ids_of(b, now.name);
    for (const Suite& before : a.suites) {
      if (suite_named(b, before.name)) continue;
      const auto count = std::ranges::count_if(
          ids_of(a, before.name), [&](const std::string& id) { return ids.contains(id); });
      if (count > 0)
        sentences.push_back(fmt::format(
            "The suite {} of {} and the suite {} of {} have {} of the same id. Cases of suites of "
            "different names are different cases: keep the name to have them compared.",
            before.name, names[0], now.name, names[1], counted(std::size_t(count), "case")));
    }
  }
  return sentences;
}

}  // namespace

std::vector<std::string> suite_changes(const LoadedSuites& a, const LoadedSuites& b,
                                       const std::array<std::string, 2>& names) {
  std::vector<std::string> sentences = renamed_suites(a, b, names);
  for (const Suite& now : b.suites) {
    const Suite* const before = suite_named(a, now.name);
    if (!before) continue;
    std::ranges::move(shape_changes(*before, now, names), std::back_inserter(sentences));
    if (before->hash == now.hash) continue;
    std::string text =
        fmt::format("The suite {} of {} is not that of {} ({}).", now.name, names[1], names[0],
                    first_difference(lines_of(before->path), lines_of(now.path)));
    const HowChanges how = how_changes(a, b, now.name);
    for (const std::string& option : how.options)
      text += fmt::format(" `measure: {}` differs: both sides are measured as {} says.", option,
                          names[1]);
    if (how.thresholds > 0)
      text += fmt::format(" The threshold of {} differs: {} is judged by {}'s.",
                          counted(how.thresholds, "case"), how.thresholds == 1 ? "it" : "each",
                          names[1]);
    sentences.push_back(std::move(text));
  }
  return sentences;
}

}  // namespace plumbline
