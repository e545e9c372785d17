/// What a site keeps of each run or comparison on it: data/<key>.csv and, written last,
/// data/<key>.json. From these, pages about hundreds of runs are made again without reading the
/// runs.
///
/// Knows no page. The record remains after its run is deleted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "core/run/run.h"

namespace plumbline {

/// A case × metric of the run; without samples, metric is "" and estimate unknown.
struct SiteRow {
  std::string suite, case_id, metric, unit, revision;
  Status status = Status::ok;
  double estimate = kUnknown;  // in `unit`
  std::optional<double> low, high;
  std::string verdict;  // a word of kVerdictNames; "" if the run was not compared
};

/// A run and the result of comparing it.
struct SiteRun {
  int format = kFormatVersion;
  std::string name;   // of the run's directory
  std::string stamp;  // identifies the state of its files when the record was made
  std::string started_at, commit, subject, author;
  bool is_redacted = false;  // the site names neither its author nor its project
  std::string device_class, device_uuid, software;  // software: driver and libraries, in words
  std::vector<std::string> suites;
  int measurement_revision = 0;
  std::string sentence;                       // the verdict in words
  std::string exit_code;                      // of the verdict; "" if the run was not compared
  std::map<std::string, std::string> counts;  // verdict, or what excuses it -> number of cases
  std::vector<SiteRow> rows;                  // in the CSV
};

/// Replaces data/<key>.csv in the site's folder. Throws Error.
void write_site_rows(const std::string& site, const std::string& key, const SiteRun& run);
/// Replaces data/<key>.json, which completes the record. Throws Error.
void write_site_run(const std::string& site, const std::string& key, const SiteRun& run);

/// Reads both files. Throws Error naming the file that is missing, torn or of a newer format.
SiteRun read_site_run(const std::string& site, const std::string& key);

}  // namespace plumbline
