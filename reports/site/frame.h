/// The frame that all pages of a site share: head, security policy, title, links between them.
#pragma once

#include <iterator>
#include <string>
#include <string_view>

#include "reports/template.h"

namespace plumbline {

struct SiteFrame {
  std::string title;      // of the window
  std::string_view up;    // path from the page to the site's folder: "" or "../"
  bool has_runs = false;  // loads runs.js
};

/// The page whose <main> is the template `name` with `content`. `data`: as in
/// self_contained_page().
std::string framed(const SiteFrame& frame, std::string_view name, const PageData& content,
                   PageData data = PageData::array());

/// Data of site/verdict.html for a word of kVerdictNames, a status, or another word; null for "".
PageData verdict_data(std::string_view word);

/// The short name of a run: the beginning of its commit, else its time.
template <class Run>
std::string short_name(const Run& run) {
  return run.commit.empty() ? run.started_at : run.commit.substr(0, 10);
}

/// Data of site/run_link.html and site/run_words.html. `Run`: a SiteRun or a PastRun.
template <class Run>
PageData run_data(const Run& run, const std::string& link) {
  return {{"link", link},
          {"commit", short_name(run)},
          {"started", run.started_at},
          {"day", run.started_at.substr(0, std::size("2026-03-31") - 1)},
          {"device", run.device_class}};
}

}  // namespace plumbline
