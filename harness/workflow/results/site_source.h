/// The sources of a site: finished runs and folders of `ab` in a folder of runs.
///
/// Reads them; of the site it knows only the record of a run.
#pragma once

#include <string>
#include <vector>

#include "store/verdict/site_record.h"
#include "workflow/talk.h"

namespace plumbline {

struct SiteSource {
  std::string key;   // from its name; names files
  std::string name;  // name of its folder
  std::string path;
  std::string stamp;    // changes if a file that the record comes from changes
  bool is_run = false;  // false: a folder of `ab`, a comparison without a run of its own
};

/// The sources directly in `folder`, by name; empty if it does not exist. `notes`: what is left
/// out.
std::vector<SiteSource> sources_in(const std::string& folder, std::vector<std::string>& notes);

/// The record of a source, without git's texts about its commit. Reads comparison.json and the
/// run's summary, which is computed again if it is missing or stale. Throws Error.
SiteRun read_source(const SiteSource& source);

/// Writes its page: the report.html beside it if that is up to date, else a new one.
void write_commit_page(const SiteSource& source, const std::string& output, Talk& talk);

}  // namespace plumbline
