/// What git says of the tree that a file lies in; empty texts where there is no git or no tree, but
/// for what $PLUMBLINE_COMMIT and $PLUMBLINE_DIRTY say of a tree without history.
///
/// Asks git itself; questions are read-only and take none of its locks.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

struct Tree {
  std::string root;     // of the working tree
  std::string commit;   // full hash
  std::string branch;   // "" where the head is detached
  std::string dirty;    // "yes": tracked files differ from the commit; "no"
  std::string refusal;  // why git says nothing of a tree that is there, "" where it does not refuse
};

/// What git prints in `folder`; "" where git is missing or refuses.
std::string git_text(const std::string& folder, const std::vector<std::string>& words);

/// Runs git in `folder` for what it does. Gives its words where it fails, or "".
std::string run_git(const std::string& folder, const std::vector<std::string>& words);

/// The first line that git prints. Throws Error that begins with `failure` and ends with git's
/// words.
std::string git_output(const std::string& folder, const std::vector<std::string>& words,
                       const std::string& failure);

/// Forgets what a hook of git sets for its own tree: other trees are asked about.
void forget_hook_variables();

/// The tree that holds `folder`; empty where git knows none.
Tree tree_in_git(const std::string& folder);

/// The same; of a tree without history what $PLUMBLINE_COMMIT and $PLUMBLINE_DIRTY say.
Tree tree_of(const std::string& folder);

struct CommitText {
  std::string subject, author, time;  // time ISO 8601
};

CommitText commit_text(const std::string& folder, const std::string& commit);

/// `user.name <user.email>` as git is configured in `folder`, or "".
std::string git_identity(const std::string& folder);

/// Who decides something in `folder`: git's user.name, or else who is logged in; "" where neither
/// is known.
std::string author_in(const std::string& folder);

}  // namespace plumbline
