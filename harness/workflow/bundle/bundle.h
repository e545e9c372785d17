/// Makes bundles: comparisons that others can measure again. The command `bundle`.
///
/// Reads a comparison, its runs and the files of both sides; runs nothing.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "store/bundle/bundle_json.h"
#include "workflow/talk.h"

namespace plumbline {

struct BundleRequest {
  std::string comparison;       // a comparison.json, or a folder of `ab`
  std::string output;           // .tar.zst
  std::set<std::string> cases;  // ids; none: all that the comparison calls SLOWER or FASTER
  bool is_unredacted = false;   // with names of machines, people and folders, and with variables
};

/// Writes the bundle. The same files give the same bytes. Notes what a replay cannot do. Throws
/// Error for a comparison that cannot be read or claims nothing, and if a side has no suite left.
Bundle make_bundle(const BundleRequest& request, Talk& talk);

}  // namespace plumbline
