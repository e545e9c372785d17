/// What Plumbline left on disk: what may be removed, what stays, and why.
///
/// Knows no folder; cached_leftovers.h and old_runs.h find them, clean.h removes them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "schedule/process/child_process.h"

namespace plumbline {

/// A folder, or several files of one kind in a folder.
struct Leftover {
  std::string what;  // "checkout", "61 compiled kernels"
  std::string path;
  std::string why = {};  // it goes, or why it stays
  std::uint64_t bytes = 0;
  double age_s = 0;                   // since its last use; of several files, the oldest
  bool is_folder = true;              // else `files` are removed, and `path` stays
  std::vector<std::string> files{};   // the kind's files, or those beside the folder that go too
  std::vector<std::string> in_use{};  // files that whoever uses it has locked
  double changed = 0;                 // Unix time: a later change in it stops the removal; 0 = any
};

struct Leftovers {
  std::vector<Leftover> removable, kept;  // kept: old enough, but something speaks against it
};

/// What a walk through a folder finds. Links are not followed.
struct FolderFacts {
  std::uint64_t bytes = 0;
  double changed = 0;                    // Unix time of the newest change of a file
  bool has_mount = false;                // a file system is mounted in it, or that is not known
  std::vector<std::string> comparisons;  // every comparison.json, whole paths
  std::vector<std::string> runs;         // every folder with a run.json, whole paths
  std::vector<std::string> results;      // every results.csv
  std::string stranger;                  // the first entry that `is_ours` does not know
};

/// `is_ours`: of an entry's name, and whether it is a folder.
FolderFacts facts_of(const std::string& folder,
                     const std::function<bool(const std::string&, bool)>& is_ours);

/// Unix time of the last use of a file: it was read or changed. 0 where there is no plain file.
double last_use_of(const std::string& file);

/// Unix time of the newest change of a file or folder in `folder`.
double newest_change_in(const std::string& folder);

/// Unix time of the last change of a file, 0 where there is no plain file.
double last_change_of(const std::string& file);

/// Now, Unix time.
double now_s();

/// "30 days": whole days, hours or minutes.
std::string age_in_words(double seconds);

/// Takes the locks of what is about to be removed. False where somebody else holds one, or where
/// it cannot be told. Files that are not there are locked by nobody.
bool take_locks(const std::vector<std::string>& files, std::vector<Descriptor>& locks);

/// Whether somebody holds one of these locks now.
bool is_in_use(const std::vector<std::string>& files);

}  // namespace plumbline
