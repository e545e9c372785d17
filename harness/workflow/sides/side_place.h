/// Where the name of a side leads: a folder, a worker, or a revision of git.
///
/// Finds folders and checks revisions out; knows neither suites nor builds.
#pragma once

#include <string>
#include <vector>

#include "workflow/sides/checkout.h"

namespace plumbline {

/// What a side may be named by.
enum class SideKind { any, folder, revision };

struct SideName {
  std::string text;  // "" = the present folder
  SideKind kind = SideKind::any;
};

/// A side as far as its name says: which folder, and perhaps which worker.
struct Place {
  std::string name, folder, root;
  std::string commit, dirty;
  std::string worker;  // that was named in its place
  std::string prefix;  // of a revision: the folder in its tree
  std::string origin;  // of a revision: the tree that it was named in
  bool is_revision = false;
  Checkout checkout;
};

/// Absolute, without links, '.' and '..', whether it is there or not.
std::string whole_path(const std::string& path);

/// Whether a whole path is the folder or lies in it.
bool is_in(const std::string& path, const std::string& folder);

/// The folder that revisions and the present side stand for (find_sides()).
std::string present_folder(const std::vector<std::string>& suites);

/// The folder as a side of that name.
Place folder_place(const std::string& name, const std::string& folder);

/// The worker of a build or an installation in the folder; "" where there is none.
std::string worker_in(const std::string& folder);

/// Where a name leads; a revision is not checked out yet. A folder that holds a worker, no
/// plumbline.yaml and none of the suites is a worker for the files of `here`, which is told. Throws
/// Error for names that mean nothing or two things.
Place place_of(const SideName& name, const std::string& here,
               const std::vector<std::string>& suites, Talk& talk);

/// Checks a revision out, and enters it. Throws Error.
void enter_checkout(Place& place, Talk& talk);

/// Both sides are one revision: the second shares the checkout, which the first keeps.
void enter_that_of(const Place& first, Place& second);

}  // namespace plumbline
