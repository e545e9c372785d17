#include "workflow/setup/git.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "core/error.h"
#include "core/words.h"
#include "schedule/process/child_process.h"

namespace plumbline {
namespace {

constexpr double kTimeout_s = 60;  // for a large tree on a slow disk
constexpr double kWork_s = 600;    // for a worktree of a large repository

/// A tree of others may hold a second repository in one of its folders, or name a program that
/// watches its files: git would do what these say.
constexpr std::array kGit{"git", "-c", "safe.bareRepository=explicit", "-c",
                          "core.fsmonitor=false"};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// An exported or copied tree has no history; variables can pass its commit on.
void fill_from_variables(Tree& tree) {
  if (const char* commit = std::getenv("PLUMBLINE_COMMIT")) tree.commit = commit;
  if (const char* dirty = std::getenv("PLUMBLINE_DIRTY")) tree.dirty = dirty;
}

/// The result of git in the folder; `failure`: its error text, "" if it succeeded.
struct GitResult {
  std::string out, failure;
};

GitResult worked(const std::string& folder, const std::vector<std::string>& words) {
  std::vector<std::string> argv(kGit.begin(), kGit.end());
  argv.insert(argv.end(), {"-C", folder});
  argv.insert(argv.end(), words.begin(), words.end());
  ProgramOutput output = run_program(argv, kWork_s);
  if (output.timed_out) return {"", "git does not answer"};
  if (output.end.signal == 0 && output.end.exit_code == 0) return {std::move(output.out), ""};
  return {"", output.err.empty() ? output.end.words() : output.err};
}

/// For questions, which take none of git's locks. `failure`: only a timeout, or git's refusal of a
/// tree of another user ("dubious ownership").
GitResult read(const std::string& folder, const std::vector<std::string>& words) {
  std::vector<std::string> argv(kGit.begin(), kGit.end());
  argv.insert(argv.end(), {"--no-optional-locks", "-C", folder});
  argv.insert(argv.end(), words.begin(), words.end());
  try {
    ProgramOutput output = run_program(argv, kTimeout_s);
    if (output.end.signal == 0 && output.end.exit_code == 0) return {std::move(output.out), ""};
    if (output.timed_out) return {"", shell_command(argv) + ": no answer"};
    if (output.err.find("dubious") != std::string::npos)
      return {"", shell_command(argv) + ": " + output.err};
  } catch (const Error&) {
    // Nothing is lost: this machine has no git.
  }
  return {};
}

}  // namespace

std::string git_text(const std::string& folder, const std::vector<std::string>& words) {
  return read(folder, words).out;
}

std::string run_git(const std::string& folder, const std::vector<std::string>& words) {
  return worked(folder, words).failure;
}

std::string git_output(const std::string& folder, const std::vector<std::string>& words,
                       const std::string& failure) {
  const GitResult result = worked(folder, words);
  if (!result.failure.empty()) throw Error(failure + ": " + result.failure);
  return first_line(result.out);
}

void forget_hook_variables() {
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"})
    unsetenv(name);
}

Tree tree_in_git(const std::string& folder) {
  Tree tree;
  const GitResult root = read(folder, {"rev-parse", "--show-toplevel"});
  tree.root = first_line(root.out);
  tree.refusal = root.failure;
  if (tree.root.empty()) return tree;
  std::istringstream lines(
      git_text(folder, {"status", "--porcelain=v2", "--branch", "--untracked-files=no"}));
  tree.dirty = "no";
  for (std::string line; std::getline(lines, line);) {
    const std::string oid = "# branch.oid ", head = "# branch.head ";
    if (line.starts_with(oid))
      tree.commit = line.substr(oid.size());
    else if (line.starts_with(head))
      tree.branch = line.substr(head.size());
    else if (!line.starts_with('#'))
      tree.dirty = "yes";
  }
  if (tree.commit == "(initial)") tree.commit = tree.dirty = "";
  if (tree.branch == "(detached)") tree.branch = "";
  return tree;
}

Tree tree_of(const std::string& folder) {
  Tree tree = tree_in_git(folder);
  if (tree.commit.empty()) fill_from_variables(tree);
  return tree;
}

CommitText commit_text(const std::string& folder, const std::string& commit) {
  if (commit.empty()) return {};
  std::istringstream lines(git_text(folder, {"log", "-1", "--format=%s%n%an%n%cI", commit, "--"}));
  CommitText text;
  std::getline(lines, text.subject);
  std::getline(lines, text.author);
  std::getline(lines, text.time);
  return text;
}

std::string git_identity(const std::string& folder) {
  const std::string name = first_line(git_text(folder, {"config", "user.name"}));
  const std::string email = first_line(git_text(folder, {"config", "user.email"}));
  if (name.empty()) return email;
  return email.empty() ? name : name + " <" + email + ">";
}

std::string author_in(const std::string& folder) {
  if (const std::string name = first_line(git_text(folder, {"config", "user.name"})); !name.empty())
    return name;
  const passwd* const user = getpwuid(getuid());
  return user ? user->pw_name : "";
}

}  // namespace plumbline
