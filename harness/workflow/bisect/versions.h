/// The versions among which `bisect` searches: commits of a repository, or the lines of a file.
///
/// Runs git; measures nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

struct Version {
  std::string side;   // as find_sides() takes it; or requirements of pip
  std::string shown;  // for people: "4f2c1ab Use shared memory"
  bool is_commit = false, is_merge = false;
};

/// True for the form of `torch==2.15.0`, of which make_environment() makes a side.
bool is_requirement(std::string_view side);

/// GOOD, the commits after it up to BAD along first parents, each with its subject. Throws Error if
/// a name is no commit, or if GOOD is not on the line of BAD's first parents.
std::vector<Version> commits_between(const std::string& root, const std::string& good,
                                     const std::string& bad);

/// The commits that a merge brought: the one before its branch, then those of the branch along
/// first parents.
std::vector<Version> merged_commits(const std::string& root, const std::string& merge);

/// A side in each line of a file: a folder, a revision, a worker, venv:FOLDER or requirements.
/// Empty lines and those that begin with # are left out. Throws Error for fewer than two.
std::vector<Version> listed_versions(const std::string& file);

}  // namespace plumbline
