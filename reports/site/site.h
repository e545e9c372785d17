/// The pages of a static site about many runs: an index of commits, a list of cases, a page per
/// case with its history.
///
/// Given what it shows; reads no file and knows no folder but by the names below. Pages open from
/// disk and ask for nothing outside of the site. What they share lies in assets/ under the checksum
/// of its content, so that pages of different ages find theirs.
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

/// Names within the site, of texts of any kind: no name of a case or a run is a name of a file.
std::string case_page_name(std::string_view suite, std::string_view case_id);  // cases/…html
std::string commit_page_name(std::string_view key);                            // commits/…html

/// A file of the site that does not depend on what it shows.
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

/// A case in one run that did not measure it.
struct Absence {
  std::string key, status;
  std::size_t run = 0;
};

/// One case over all runs.
struct SiteCase {
  std::string_view suite, case_id;
  const std::vector<PastRun>* runs = nullptr;  // of the site, in the order of time; paths are keys
  std::vector<Series> series;
  std::vector<SeriesReading> readings;                  // of each series
  std::vector<std::vector<std::string_view>> verdicts;  // of each value of each series, or ""
  std::vector<std::vector<Regression>> regressions;     // of each series
  std::vector<Regression> breakages;
  std::vector<Absence> absences;  // in the order of time
  std::string_view status;        // in the last run that held it
};

/// Runs at the end that lists show one by one.
inline constexpr std::size_t kRecentRuns = 30;

/// What the lists say of a case × metric. Runs are told by their places in the order of time.
struct CaseLine {
  std::string suite, case_id, metric, device_class;
  std::string latest;   // `12.41 µs`
  std::string verdict;  // of the last run that held it, "" where that was not compared
  std::string status;   // of the last run
  struct Step {
    std::string key;        // of the run that first shows it
    double change = 0;      // a fraction
    bool is_moved = false;  // to another device with that run
    std::size_t run = 0;
  };
  std::vector<Step> steps;  // in the order of time
  std::size_t runs = 0;
  std::string drift = {};      // `+3.1 %`, "" for none
  bool last_is_apart = false;  // a change may have begun that no run confirms yet
  std::string unit = {};
  bool is_less_better = true;
  std::vector<Regression> regressions = {};  // those of the case as a whole with its first line
  std::vector<std::pair<std::size_t, double>> recent = {};         // the last runs and their values
  double level = 0;                                                // at the first of these
  std::vector<std::pair<std::size_t, std::string>> failures = {};  // runs without a time, why
};
std::vector<CaseLine> lines_of(const SiteCase& site_case);

std::string render_case_page(const SiteCase& site_case);

/// Runs come in the order of time, and what is said of cases tells them by their places in it.
/// `notes`: what was left out and why.
std::string render_index(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                         const std::string& title, const std::vector<std::string>& notes);
std::string render_case_list(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                             const std::string& title);

/// feed.xml (Atom, RFC 4287) and feed.json (JSON Feed 1.1): what became slower, or failed, and what
/// was fixed, the newest first. `url`: where the site is published, with a slash at its end; ""
/// where nobody said: links are relative then, and those of JSON, which must not be, are left out.
std::string render_atom_feed(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                             const std::string& title, const std::string& url);
std::string render_json_feed(const std::vector<KeyedRun>& runs, const std::vector<CaseLine>& cases,
                             const std::string& title, const std::string& url);

/// What case pages look runs up in: runs.js.
std::string render_runs_script(const std::vector<KeyedRun>& runs);

}  // namespace plumbline
