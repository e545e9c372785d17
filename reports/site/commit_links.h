/// Links from a commit's page to the rest of the site: all commits, its neighbours, its cases.
///
/// A commit's page is an unchanged report, possibly of an older version. The links are put before
/// its content, and only they are replaced when a neighbour is added.
#pragma once

#include <string>
#include <vector>

#include "reports/site/site.h"

namespace plumbline {

/// Runs of the same device class before and after; null at the ends.
struct Neighbours {
  const KeyedRun* earlier = nullptr;
  const KeyedRun* later = nullptr;
};

/// For each of the runs, which must be in order of time and outlive the result.
std::vector<Neighbours> neighbours_of(const std::vector<KeyedRun>& runs);

/// The page with new links in place of old ones. A page without <main> is returned unchanged.
std::string with_site_links(std::string page, const KeyedRun& run, const Neighbours& neighbours);

}  // namespace plumbline
