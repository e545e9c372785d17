/// Resolves the name of a side: a folder, a worker, a git revision, or an environment of Python.
///
/// Finds folders and checks out revisions; does not know suites or builds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workflow/sides/checkout.h"

namespace plumbline {

/// What the name of a side may mean.
enum class SideKind { any, folder, revision };

/// How the name of a side that is an environment of Python begins.
inline constexpr std::string_view kEnvironmentPrefix = "venv:";

struct SideName {
  std::string text;  // "" = the current folder
  SideKind kind = SideKind::any;
  std::string shown = "";  // for people; "" = the text
};

/// What a side's name means: which folder, and perhaps which worker.
struct Place {
  std::string name, folder, root;
  std::string commit, dirty;
  std::string worker;              // if the name is a worker, or an environment that has one
  EnvironmentVariables variables;  // for its workers: of an environment, which Python is its own
  std::string prefix;              // of a revision: the folder in its tree
  std::string origin;              // of a revision: the tree that it was named in
  bool is_revision = false;
  Checkout checkout;
};

/// Absolute, without links, '.' and '..'. The path need not exist.
std::string whole_path(const std::string& path);

/// True if an absolute path is the folder or is inside it.
bool is_in(const std::string& path, const std::string& folder);

/// The folder that revisions and the current side refer to (find_sides()).
std::string present_folder(const std::vector<std::string>& suites);

/// The folder as a side with that name.
Place folder_place(const std::string& name, const std::string& folder);

/// The worker of a build or an installation in the folder; "" if there is none.
std::string worker_in(const std::string& folder);

/// Resolves a name; a revision is not checked out yet. An environment means its worker, its torch
/// and its Python with the files of `here`. A folder with a worker but no plumbline.yaml
/// and none of the suites means this worker with the files of `here`; a note says so. Throws Error
/// for names that mean nothing or two things.
Place place_of(const SideName& name, const std::string& here,
               const std::vector<std::string>& suites, Talk& talk);

/// Checks out a revision and sets the paths of `place`. Throws Error.
void enter_checkout(Place& place, Talk& talk);

/// For two sides of one revision: the second uses the checkout that the first keeps.
void enter_that_of(const Place& first, Place& second);

}  // namespace plumbline
