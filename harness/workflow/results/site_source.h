/// What a site is made from: finished runs and folders of `ab` in a folder of runs.
///
/// Reads them; knows nothing of the site but the record of a run.
#pragma once

#include <string>
#include <vector>

#include "store/verdict/site_record.h"
#include "workflow/talk.h"

namespace plumbline {

struct SiteSource {
  std::string key;   // of its name: names files
  std::string name;  // of its folder
  std::string path;
  std::string stamp;    // changes with the files that its record is made from
  bool is_run = false;  // else a folder of `ab`: a comparison without a run of its own
};

/// The sources directly in `folder`, by name; none where it is not there. What is left out is told
/// in `notes`.
std::vector<SiteSource> sources_in(const std::string& folder, std::vector<std::string>& notes);

/// The record of a source, except for what git says of its commit. Reads the run's summary, which
/// is made again in memory where it is missing or stale, and its comparison.json. Throws Error.
SiteRun read_source(const SiteSource& source);

/// Its page: the report.html beside it where that is not older than what it shows, else rendered.
void write_commit_page(const SiteSource& source, const std::string& output, Talk& talk);

}  // namespace plumbline
