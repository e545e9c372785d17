/// Reads bundles: archives with a bundle.json that names what is in them.
#pragma once

#include <string>

#include "store/bundle/archive.h"
#include "store/bundle/bundle_json.h"

namespace plumbline {

/// What the bundle at `path` says of itself. All of its files are read: they must be those that it
/// lists, and lie where bundles have them. With a `folder`, which must be empty, they are unpacked
/// into it. Runs nothing. Throws Error as read_archive() and read_bundle_json() do.
Bundle read_bundle(const std::string& path, const std::string& folder = "",
                   const ArchiveLimits& limits = {});

}  // namespace plumbline
