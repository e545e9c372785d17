/// A site on disk: its content, new sources in a folder of runs, and the resulting pages.
///
/// All pages except those of commits follow from the records in data/ (store/verdict/site_record.h)
/// and from people's decisions. A record is marked as complete after the pages that it changes, so
/// that the next call finishes what an interrupted one left. reports/site renders pages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workflow/talk.h"

namespace plumbline {

struct SiteRequest {
  std::string folder, runs, baselines;  // the site, the runs, the baselines
  std::string title = {};               // "" = name of the project
  std::string url = {};                 // published address, for its feeds; "" = unknown
};

struct SiteResult {
  std::size_t runs = 0, new_runs = 0;    // on the site; rendered by this call
  std::size_t cases = 0, new_pages = 0;  // with a page; pages written by this call
  std::vector<std::string> notes;        // what was left out, and why
};

/// Updates the site from the folder of runs: finished runs, with the results of `check` or
/// `compare` beside them, and folders of `ab`. Decisions about regressions come from the folder of
/// baselines, which may be missing. Only one call runs at a time; others wait. Throws Error if runs
/// and site have nothing to show, and for what cannot be read or written.
SiteResult update_site(const SiteRequest& request, Talk& talk);

}  // namespace plumbline
