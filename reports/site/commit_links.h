/// Links of a commit's page to the rest of the site: all commits, its neighbours, its cases.
///
/// A commit's page is a report as it stands, which may be of another age: the links are put before
/// its content, and only they are replaced when a neighbour comes in.
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

/// Of each of the runs, which come in the order of time and must outlive what is returned.
std::vector<Neighbours> neighbours_of(const std::vector<KeyedRun>& runs);

/// The page with links in place of those that it had. One without <main> is returned as it is.
std::string with_site_links(std::string page, const KeyedRun& run, const Neighbours& neighbours);

}  // namespace plumbline
