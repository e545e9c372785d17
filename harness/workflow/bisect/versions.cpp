#include "workflow/bisect/versions.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "store/file.h"
#include "workflow/setup/git.h"
#include "workflow/sides/checkout.h"

namespace plumbline {
namespace {

constexpr std::size_t kShownDigits = 12;

std::string need_commit(const std::string& root, const std::string& name) {
  std::string commit = commit_of(root, name);
  if (commit.empty()) throw Error("'" + name + "' is no revision of " + root);
  return commit;
}

/// From git's output with lines `HASH PARENTS|SUBJECT`.
std::vector<Version> versions_in(const std::string& text) {
  std::vector<Version> versions;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bar = line.find('|');
    if (bar == line.npos) continue;
    std::istringstream words(line.substr(0, bar));
    std::string commit, parent;
    words >> commit;
    std::size_t parents = 0;
    while (words >> parent) ++parents;
    versions.push_back(
        {commit, commit.substr(0, kShownDigits) + " " + line.substr(bar + 1), true, parents > 1});
  }
  return versions;
}

/// `first`, then the commits up to `last` along first parents.
std::vector<Version> line_of_commits(const std::string& root, const std::string& first,
                                     const std::string& last) {
  const std::string format = "--format=%H %P|%s";
  std::vector<Version> versions = versions_in(git_text(root, {"log", "-1", format, first}));
  for (Version& version : versions_in(
           git_text(root, {"log", "--reverse", "--first-parent", format, first + ".." + last})))
    versions.push_back(std::move(version));
  return versions;
}

}  // namespace

bool is_requirement(std::string_view side) {
  return side.find("==") != side.npos && !std::filesystem::exists(side);
}

std::vector<Version> commits_between(const std::string& root, const std::string& good,
                                     const std::string& bad) {
  const std::string first = need_commit(root, good), last = need_commit(root, bad);
  if (first == last)
    throw Error("GOOD and BAD are the same commit, " + first.substr(0, kShownDigits));
  const std::string line = git_text(root, {"rev-list", "--first-parent", last});
  if (line.find(first) == line.npos)
    throw Error(fmt::format(
        "'{}' is not on the line of first parents that leads to '{}'; the last commit that both "
        "have "
        "is {}. Name a commit of that line as GOOD",
        good, bad, git_text(root, {"merge-base", first, last}).substr(0, kShownDigits)));
  return line_of_commits(root, first, last);
}

std::vector<Version> merged_commits(const std::string& root, const std::string& merge) {
  const std::string branch =
      git_text(root, {"rev-list", "--reverse", "--first-parent", merge + "^1.." + merge + "^2"});
  const std::string before = commit_of(root, branch.substr(0, branch.find('\n')) + "^1");
  if (branch.empty() || before.empty()) return {};
  return line_of_commits(root, before, merge + "^2");
}

std::vector<Version> listed_versions(const std::string& file) {
  std::vector<Version> versions;
  std::istringstream lines(read_text(file));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == line.npos || line[begin] == '#') continue;
    const std::string name = line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
    versions.push_back({name, name});
  }
  if (versions.size() < 2)
    throw Error(file + ": found fewer than two versions; expected a side in each line, GOOD first");
  return versions;
}

}  // namespace plumbline
