/// A site on disk: what it holds, what is new in a folder of runs, and the pages that follow.
///
/// Every page but those of commits follows from the records in data/ (store/verdict/site_record.h)
/// alone. Records are marked whole after the pages that they change, so that what an interrupted
/// call left is made by the next one. Judges nothing; how pages look is reports/site's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workflow/talk.h"

namespace plumbline {

struct SiteResult {
  std::size_t runs = 0, new_runs = 0;    // on the site; of them rendered by this call
  std::size_t cases = 0, new_pages = 0;  // with a page; of them written by this call
  std::vector<std::string> notes;        // what was left out, and why
};

/// Brings the site in `folder` up to what is in `runs`: finished runs, with what `check` or
/// `compare` left beside them, and folders of `ab`. One call at a time: others wait. Throws Error
/// where neither holds anything to show, and for what cannot be read or written.
SiteResult update_site(const std::string& folder, const std::string& runs, const std::string& title,
                       Talk& talk);

}  // namespace plumbline
