/// A site on disk: what it holds, what is new in a folder of runs, and the pages that follow.
///
/// Every page but those of commits follows from the records in data/ (store/verdict/site_record.h)
/// and what people decided. Records are marked whole after the pages that they change, so that what
/// an interrupted call left is made by the next one. Judges nothing; how pages look is
/// reports/site's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workflow/talk.h"

namespace plumbline {

struct SiteRequest {
  std::string folder, runs, baselines;  // the site, and where runs and baselines are
  std::string title = {};               // "" = name of the project
  std::string url = {};                 // where it is published, for its feeds; "" = not said
};

struct SiteResult {
  std::size_t runs = 0, new_runs = 0;    // on the site; of them rendered by this call
  std::size_t cases = 0, new_pages = 0;  // with a page; of them written by this call
  std::vector<std::string> notes;        // what was left out, and why
};

/// Brings the site up to what is in the folder of runs: finished ones, with what `check` or
/// `compare` left beside them, and folders of `ab`. What people decided about regressions is in
/// the folder of baselines, which need not be there. One call at a time: others wait. Throws Error
/// where neither runs nor site hold anything to show, and for what cannot be read or written.
SiteResult update_site(const SiteRequest& request, Talk& talk);

}  // namespace plumbline
