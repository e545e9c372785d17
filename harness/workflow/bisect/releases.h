/// The releases of a package between two of them, as pip finds them.
///
/// Asks pip, which asks its index; installs nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workflow/bisect/versions.h"
#include "workflow/talk.h"
#include "workflow/upgrade/made_environment.h"

namespace plumbline {

/// `good` and `bad` are requirements of pip in the form of make_environment(), alike except for the
/// version of one package. The releases of that package from the one to the other, both included;
/// `bad` may be the older one. `environments` says which Python they are for. Throws Error, for the
/// user, for other requirements and for versions that pip does not find.
std::vector<Version> releases_between(const EnvironmentRequest& environments,
                                      const std::string& good, const std::string& bad, Talk& talk);

/// The versions in the output of `pip index versions`, oldest first. Empty if there is no such
/// line.
std::vector<std::string> versions_listed_by_pip(std::string_view output);

}  // namespace plumbline
