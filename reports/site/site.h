/// The pages of a static site about many runs: an index of commits, a list of cases, and a page for
/// each case with its history.
///
/// The caller passes the content; reads no file, and knows only the names below. Pages open from
/// disk and request nothing outside of the site. Shared files are in assets/, named by the checksum
/// of their content, so that pages of different versions find theirs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/history/history.h"
#include "analysis/history/regressions.h"
#include "store/verdict/site_record.h"

namespace plumbline {

/// Names within the site, made from any text: names of cases and runs are never file names.
std::string case_page_name(std::string_view suite, std::string_view case_id);  // cases/…html
std::string commit_page_name(std::string_view key);                            // commits/…html

/// A file of the site that does not depend on its content.
struct SiteAsset {
  std::string name;  // assets/<checksum>.css
  std::string_view text;
};
SiteAsset site_style();
SiteAsset site_script();

/// A run with its key.
struct KeyedRun {
  std::string key;
  const SiteRun* run = nullptr;
};

/// A case in a run that did not measure it.
struct Absence {
  std::string key, status;
  std::size_t run = 0;
};

/// One case over all runs.
struct SiteCase {
  std::string_view suite, case_id;
  const std::vector<PastRun>* runs = nullptr;  // of the site, in order of time; paths are keys
  std::vector<Series> series;
  std::vector<SeriesReading> readings;                  // for each series
  std::vector<std::vector<std::string_view>> verdicts;  // for each value of each series; "" = none
  std::vector<std::vector<Regression>> regressions;     // for each series
  std::vector<Regression> breakages;
  std::vector<Absence> absences;  // in order of time
  std::string_view status;        // in the last run that has the case
};

/// Number of latest runs that lists show individually.
inline constexpr std::size_t kRecentRuns = 30;

/// A line of the lists for a case × metric. Runs are identified by their indexes in order of time.
struct CaseLine {
  std::string suite, case_id, metric, device_class;
  std::string latest;   // `12.41 µs`
  std::string verdict;  // of the last run with the case; "" if it was not compared
  std::string status;   // of the last run
  struct Step {
    std::string key;        // of the first run that shows it
    double change = 0;      // a fraction
    bool is_moved = false;  // that run measured on another device
    std::size_t run = 0;
  };
  std::vector<Step> steps;  // in the order of time
  std::size_t runs = 0;
  std::string drift = {};      // `+3.1 %`, "" for none
  bool last_is_apart = false;  // a change may have begun, but no run confirms it yet
  std::string unit = {};
  bool is_less_better = true;
  std::vector<Regression> regressions = {};  // regressions of the whole case are in its first line
  std::vector<std::pair<std::size_t, double>> recent = {};         // the last runs and their values
  double level = 0;                                                // at the first of these runs
  std::vector<std::pair<std::size_t, std::string>> failures = {};  // runs without a time, and why
};
std::vector<CaseLine> lines_of(const SiteCase& site_case);

std::string render_case_page(const SiteCase& site_case);

/// Runs must be in order of time; lines refer to them by index. `notes`: what was left out and why.
std::string render_index(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                         const std::string& title, const std::vector<std::string>& notes);
std::string render_case_list(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                             const std::string& title);

/// feed.xml (Atom, RFC 4287) and feed.json (JSON Feed 1.1): cases that became slower, failed or
/// were fixed, newest first. `url`: where the site is published, with a slash at the end. If it is
/// "", links are relative; JSON Feed does not allow these, so it has none.
std::string render_atom_feed(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                             const std::string& title, const std::string& url);
std::string render_json_feed(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                             const std::string& title, const std::string& url);

/// badge.json, which shields.io draws: how many cases have an open regression.
std::string render_badge(const std::vector<CaseLine>& cases);

/// runs.js: the runs that case pages look up.
std::string render_runs_script(const std::vector<KeyedRun>& runs);

}  // namespace plumbline
