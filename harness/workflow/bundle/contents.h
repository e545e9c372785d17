/// What a bundle holds, and what would run of it, for people.
///
/// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/bundle/bundle_json.h"

namespace plumbline {

/// What becomes of a file of a side when it is measured, by its name: "compiled and run on the
/// GPU". Suites are told by the bundle's list.
std::string_view use_of(const BundledSide& side, const std::string& path);

/// True if the file is a program, or becomes one.
bool is_code(const BundledSide& side, const std::string& path);

/// True if nothing that the bundle holds or tells differs between the sides: files, worker,
/// variables.
bool are_sides_alike(const Bundle& bundle);

/// What a replay cannot do with this bundle, and what it needs besides; sentences.
std::vector<std::string> limits_of_replay(const Bundle& bundle);

}  // namespace plumbline
