/// Information from git about the tree that contains a file. Without git or a tree, texts are
/// empty. $PLUMBLINE_COMMIT and $PLUMBLINE_DIRTY describe a tree without history.
///
/// Runs git; questions are read-only and take none of its locks.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

struct Tree {
  std::string root;     // of the working tree
  std::string commit;   // full hash
  std::string branch;   // "" if the head is detached
  std::string dirty;    // "yes": tracked files differ from the commit; "no"
  std::string refusal;  // why git refuses to read an existing tree, else ""
};

/// The output of git in `folder`; "" if git is missing or fails.
std::string git_text(const std::string& folder, const std::vector<std::string>& words);

/// Runs a git command that changes something in `folder`. Returns git's error text, or "".
std::string run_git(const std::string& folder, const std::vector<std::string>& words);

/// The first line of git's output. Throws Error: `failure` and git's error text.
std::string git_output(const std::string& folder, const std::vector<std::string>& words,
                       const std::string& failure);

/// Unsets the variables that a git hook sets for its own tree: other trees are read here.
void forget_hook_variables();

/// The tree that contains `folder`; empty if git knows none.
Tree tree_in_git(const std::string& folder);

/// The same; for a tree without history, uses $PLUMBLINE_COMMIT and $PLUMBLINE_DIRTY.
Tree tree_of(const std::string& folder);

struct CommitText {
  std::string subject, author, time;  // time ISO 8601
};

CommitText commit_text(const std::string& folder, const std::string& commit);

/// `user.name <user.email>` as git is configured in `folder`, or "".
std::string git_identity(const std::string& folder);

/// Who decides something in `folder`: git's user.name, else the login name, else "".
std::string author_in(const std::string& folder);

}  // namespace plumbline
