/// The sources of a site: finished runs and folders of `ab` in a folder of runs.
///
/// Reads them; of the site it knows only the record of a run.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/verdict/site_record.h"
#include "workflow/results/page.h"
#include "workflow/talk.h"

namespace plumbline {

struct SiteSource {
  std::string key;   // from its name; names files
  std::string name;  // name of its folder
  std::string path;
  std::string stamp;    // changes if a file that the record comes from changes
  bool is_run = false;  // false: a folder of `ab`, a comparison without a run of its own
};

struct SiteSources {
  std::vector<SiteSource> sources;  // by name
  /// Name and start of runs that another source stands for, as a merged run does for its shards.
  /// Records of them may be from a time when that source was not there.
  std::set<std::pair<std::string, std::string>> replaced;
  std::vector<std::string> notes;  // on runs that are left out
};

/// The sources directly in `folder`; none if it does not exist.
SiteSources sources_in(const std::string& folder);

/// The record of a source, without git's texts about its commit. Reads comparison.json and the
/// run's summary, which is computed again if it is missing or stale. Throws Error.
SiteRun read_source(const SiteSource& source);

/// Writes its page: the report.html beside it if that is up to date, else a new one.
void write_commit_page(const SiteSource& source, const std::string& output, Origins& origins,
                       Talk& talk);

}  // namespace plumbline
