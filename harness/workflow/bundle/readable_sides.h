/// Whether the suites of an unpacked bundle can be read, and name no files outside of it.
///
/// Runs nothing: suites in Python are left out.
#pragma once

#include <string>
#include <vector>

#include "store/bundle/bundle_json.h"

namespace plumbline {

/// The first mistake of each side, "side b: …", without `folder`, in which the bundle is.
std::vector<std::string> mistakes_in_sides(const Bundle& bundle, const std::string& folder);

}  // namespace plumbline
