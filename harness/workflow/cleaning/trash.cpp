#include "workflow/cleaning/trash.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "core/uninterrupted.h"
#include "store/folder.h"
#include "workflow/setup/git.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Nobody looks for runs in it: it is no run itself.
constexpr const char* kName = ".plumbline-gc";

/// The first line of a small plain file, "" where there is none.
std::string line_in(const fs::path& path) {
  std::error_code none;
  if (!fs::is_regular_file(fs::symlink_status(path, none))) return "";
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Takes a checkout that was moved away out of its repository's list of worktrees. Only where both
/// name each other: the repository says that it was in the root, and nothing is there any more.
void forget_worktree(const fs::path& moved, const std::string& root) {
  constexpr std::string_view kMark = "gitdir: ";
  const std::string line = line_in(moved / ".git");
  if (!line.starts_with(kMark)) return;
  const fs::path records = line.substr(kMark.size());  // REPOSITORY/.git/worktrees/NAME
  if (records.parent_path().filename() != "worktrees") return;
  const fs::path checkout = fs::path(line_in(records / "gitdir")).parent_path();
  std::error_code none;
  const bool is_ours = checkout.filename() == moved.filename() &&
                       fs::weakly_canonical(checkout.parent_path().parent_path(), none) == root;
  if (!is_ours || fs::exists(fs::symlink_status(checkout, none))) return;
  const std::string repository = records.parent_path().parent_path().string();
  // What git says is not needed: where its repository is damaged, the checkout goes all the same.
  run_git(repository,
          {"--git-dir", repository, "worktree", "remove", "--force", "--force", checkout.string()});
}

}  // namespace

bool has_trash(const std::string& root) {
  std::error_code none;
  const fs::path path = fs::path(root) / kName;
  return fs::is_directory(fs::symlink_status(path, none));
}

Trash::Trash(const std::string& root)
    : root_(fs::canonical(root).string()), path_(root_ + "/" + kName), lock_(uninterrupted([&] {
        return ::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      })) {
  const auto lock = [&] { return ::flock(lock_.get(), LOCK_EX | LOCK_NB); };
  if (lock_.get() < 0 || uninterrupted(lock) != 0)
    throw Error(errno == EWOULDBLOCK
                    ? root_ + ": another `plumbline gc` is cleaning it; wait for it to end"
                    : root_ + ": it cannot be locked, so nothing is removed from it: " +
                          std::generic_category().message(errno));
  std::error_code none;
  if (const fs::file_status found = fs::symlink_status(path_, none);
      fs::exists(found) && !fs::is_directory(found))
    throw Error(path_ + ": found a file or a link, expected a folder of `plumbline gc`; remove it");
}

void Trash::take(const std::string& folder) {
  std::error_code problem;
  fs::create_directory(path_, problem);
  const fs::path name = fs::path(folder).filename();
  fs::path target = fs::path(path_) / name;
  // One of that name is here already where an earlier command was stopped, and the folder is new.
  if (!problem && fs::exists(fs::symlink_status(target)))
    empty(), fs::create_directory(path_, problem);
  if (!problem) fs::rename(folder, target, problem);
  if (problem) throw Error(folder + ": cannot remove it: " + problem.message());
}

void Trash::empty() {
  std::error_code problem;
  std::string failure;
  for (const fs::path& entry : entries_of(path_)) {
    if (fs::is_directory(fs::symlink_status(entry))) forget_worktree(entry, root_);
    std::error_code one;
    fs::remove_all(entry, one);
    if (one) failure = entry.string() + ": cannot delete it: " + one.message();
  }
  if (!failure.empty()) throw Error(failure);
  fs::remove(path_, problem);
}

}  // namespace plumbline
