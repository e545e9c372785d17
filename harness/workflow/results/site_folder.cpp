#include "workflow/results/site_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "core/error.h"
#include "core/moment.h"
#include "core/parallel.h"
#include "core/run/case.h"
#include "core/uninterrupted.h"
#include "reports/site/commit_links.h"
#include "reports/site/site.h"
#include "store/file.h"
#include "store/folder.h"
#include "store/verdict/site_record.h"
#include "workflow/results/site_cases.h"
#include "workflow/results/site_decisions.h"
#include "workflow/results/site_source.h"
#include "workflow/setup/git.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

OpenFile opened(const std::string& path, int flags) {
  return OpenFile(uninterrupted([&] { return ::open(path.c_str(), flags, 0666); }));
}

bool is_locked(const OpenFile& file, int operation) {
  return uninterrupted([&] { return ::flock(file.get(), operation); }) == 0;
}

/// Locks the site until the process ends, however it ends.
OpenFile lock_site(const std::string& folder, Talk& talk) {
  const std::string path = folder + "/.lock";
  OpenFile file = opened(path, O_RDWR | O_CREAT | O_CLOEXEC);
  if (file.get() < 0) fail_with_errno(path, "open it");
  if (is_locked(file, LOCK_EX | LOCK_NB)) return file;
  talk.note(folder + " is being written by another `plumbline site`; waiting for it");
  if (!is_locked(file, LOCK_EX)) fail_with_errno(path, "lock it");
  return file;
}

/// Overwrites a page only if its text changed: creating thousands of files is the slowest step. If
/// an interruption leaves a torn or missing page, its run is not yet marked as complete, so the
/// page is made again.
bool write_if_new(const std::string& path, std::string_view text) {
  if (std::error_code none; fs::file_size(path, none) == text.size() && read_text(path) == text)
    return false;
  const OpenFile file = opened(path, O_WRONLY | O_CREAT | O_CLOEXEC);
  if (file.get() < 0) fail_with_errno(path, "create it");
  const auto cut = [&] { return ::ftruncate(file.get(), off_t(text.size())); };
  if (!write_all(file.get(), text) || uninterrupted(cut) != 0) fail_with_errno(path, "write it");
  return true;
}

/// The records of a site: those on disk, and those that this call adds.
class Records {
 public:
  Records(std::string site, SiteSources sources) : site_(std::move(site)) {
    std::map<std::string, SiteSource> found;
    for (SiteSource& source : sources.sources) found.emplace(source.key, std::move(source));
    std::vector<std::string> keys;
    for (const fs::path& entry : entries_of(site_ + "/data"))
      if (entry.extension() == ".json") keys.push_back(entry.stem().string());
    std::vector<SiteRun> known(keys.size());
    for_each_index(keys.size(),
                   [&](std::size_t i) { known[i] = read_known(keys[i], found.contains(keys[i])); });
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto source = found.find(keys[i]);
      const bool is_current = source == found.end() || (known[i].stamp == source->second.stamp &&
                                                        fs::exists(page_of(keys[i])));
      const bool is_replaced =
          source == found.end() && sources.replaced.contains({known[i].name, known[i].started_at});
      if (is_replaced) replaced_.push_back(keys[i]);
      if (!is_current || is_replaced) continue;
      runs_.emplace(keys[i], std::move(known[i]));
      if (source != found.end()) found.erase(source);
    }
    for (auto& [key, source] : found) pending_.push_back(std::move(source));
  }

  /// Makes the records of new sources; they are not marked as complete yet.
  void take_in(const std::string& tree) {
    std::vector<SiteRun> made(pending_.size());
    for_each_index(pending_.size(), [&](std::size_t i) {
      made[i] = read_source(pending_[i]);
      write_site_rows(site_, pending_[i].key, made[i]);
    });
    add_texts(tree, made);
    for (std::size_t i = 0; i < made.size(); ++i)
      runs_.insert_or_assign(pending_[i].key, std::move(made[i]));
  }

  /// Writes the pages of new commits, and the links between them and their neighbours.
  void write_pages(const std::vector<KeyedRun>& runs, Talk& talk) const {
    Origins origins;
    for_each_index(pending_.size(), [&](std::size_t i) {
      write_commit_page(pending_[i], page_of(pending_[i].key), origins, talk);
    });
    const std::vector<Neighbours> neighbours = neighbours_of(runs);
    for_each_index(runs.size(), [&](std::size_t i) {
      const auto changes = [&](const KeyedRun* run) { return run && is_new(run->key); };
      if (replaced_.empty() && !is_new(runs[i].key) && !changes(neighbours[i].earlier) &&
          !changes(neighbours[i].later))
        return;
      const std::string path = page_of(runs[i].key);
      write_if_new(path, with_site_links(read_text(path), runs[i], neighbours[i]));
    });
  }

  void mark_whole() const {
    std::error_code none;
    for (const std::string& key : replaced_)
      for (const std::string& file :
           {page_of(key), site_ + "/data/" + key + ".csv", site_ + "/data/" + key + ".json"})
        fs::remove(file, none);
    for (const SiteSource& source : pending_)
      write_site_run(site_, source.key, runs_.at(source.key));
  }

  std::vector<KeyedRun> in_time_order() const {
    std::vector<KeyedRun> runs;
    for (const auto& [key, run] : runs_) runs.push_back({key, &run});
    std::ranges::stable_sort(runs, {},
                             [](const KeyedRun& r) { return moment_of(r.run->started_at); });
    return runs;
  }

  std::size_t added() const { return pending_.size(); }
  /// Whether pages that show the run of that key may have changed.
  bool touches(const std::string& key) const { return !replaced_.empty() || is_new(key); }

 private:
  /// Asks git once for each commit: the runs of a fleet have the same one.
  static void add_texts(const std::string& tree, std::vector<SiteRun>& runs) {
    std::map<std::string, std::vector<SiteRun*>> by_commit;
    for (SiteRun& run : runs)
      if (!run.is_redacted) by_commit[run.commit].push_back(&run);
    std::vector<std::string> commits;
    for (const auto& [commit, of_commit] : by_commit) commits.push_back(commit);
    for_each_index(commits.size(), [&](std::size_t i) {
      const CommitText text = commit_text(tree, commits[i]);
      for (SiteRun* run : by_commit.at(commits[i])) {
        run->subject = text.subject;
        run->author = text.author;
      }
    });
  }

  bool is_new(const std::string& key) const {
    return std::ranges::binary_search(pending_, key, {}, &SiteSource::key);
  }

  std::string page_of(const std::string& key) const { return site_ + "/" + commit_page_name(key); }

  /// Reads a record. One that cannot be read is made again if its run still exists.
  SiteRun read_known(const std::string& key, bool can_be_made_again) const {
    try {
      return read_site_run(site_, key);
    } catch (const Error& error) {
      if (!can_be_made_again)
        throw Error(std::string(error.what()) + "; the run that it was made from is gone: delete " +
                    site_ + "/data/" + key + ".* to leave it out");
      return {};
    }
  }

  std::string site_;
  std::map<std::string, SiteRun> runs_;
  std::vector<SiteSource> pending_;    // sorted by key
  std::vector<std::string> replaced_;  // keys of records whose run became part of a merged run
};

/// Writes the pages of cases and returns the lines of all; counts the written pages.
std::vector<CaseLine> write_cases(const std::string& site, const std::vector<KeyedRun>& runs,
                                  const std::vector<CaseRowsOverTime>& cases,
                                  const Decisions& decisions, std::size_t& written) {
  std::vector<std::vector<CaseLine>> lines(cases.size());
  std::set<std::string> names;
  for (const CaseRowsOverTime& rows : cases)
    if (const SiteRow& row = *rows.rows[0].row;
        !names.insert(case_page_name(row.suite, row.case_id)).second)
      throw Error("the case '" + row.case_id + "' of suite '" + row.suite +
                  "' has the same checksum as another: rename it");
  const History history = history_of(runs);
  const SuiteSizes sizes = suite_sizes(runs);
  std::atomic<std::size_t> count = 0;
  for_each_index(cases.size(), [&](std::size_t i) {
    const SiteCase shown = read_case(cases[i], history, sizes, decisions);
    lines[i] = lines_of(shown);
    const std::string path = site + "/" + case_page_name(shown.suite, shown.case_id);
    std::error_code none;
    const bool is_there = fs::exists(path, none) && fs::file_size(path, none) > 0;
    if (cases[i].is_touched || !is_there) count += write_if_new(path, render_case_page(shown));
  });
  written = count;
  std::vector<CaseLine> all;
  for (std::vector<CaseLine>& of_case : lines)
    for (CaseLine& line : of_case) all.push_back(std::move(line));
  return all;
}

/// The git tree whose commits were measured.
std::string tree_root(const std::string& runs) {
  const std::string root = fs::is_directory(runs) ? tree_of(runs).root : "";
  return root.empty() ? tree_of(".").root : root;
}

/// The name of the project, unless a run is redacted: it may be of another project, or hide it.
std::string title_of(const SiteRequest& request, const std::string& tree,
                     const std::vector<KeyedRun>& runs) {
  const auto is_redacted = [](const KeyedRun& run) { return run.run->is_redacted; };
  if (!request.title.empty()) return request.title;
  if (std::ranges::any_of(runs, is_redacted)) return "Redacted runs";
  const fs::path project = tree.empty() ? fs::absolute(request.runs).parent_path() : fs::path(tree);
  return project.filename().string();
}

/// People's decisions, as of the day of the newest run, so that pages depend only on files.
Decisions decisions_at(const std::string& baselines, const std::vector<KeyedRun>& runs) {
  Decisions decisions = read_decisions(baselines);
  const std::string& newest = runs.back().run->started_at;
  const auto moment = moment_of(newest);
  decisions.today = (moment ? utc_text(*moment) : newest).substr(0, std::size("2026-03-31") - 1);
  return decisions;
}

/// Writes what covers all runs: lists, feeds, and the script of the runs.
void write_lists(const SiteRequest& request, const std::vector<KeyedRun>& runs,
                 const std::vector<CaseLine>& cases, const std::string& title,
                 const std::vector<std::string>& notes) {
  const bool ends_in_folder = request.url.empty() || request.url.ends_with('/');
  const std::string url = request.url + (ends_in_folder ? "" : "/");
  const std::pair<const char*, std::function<std::string()>> files[] = {
      {"cases.html", [&] { return render_case_list(runs, cases, title); }},
      {"index.html", [&] { return render_index(runs, cases, title, notes); }},
      {"badge.json", [&] { return render_badge(cases); }},
      {"runs.js", [&] { return render_runs_script(runs); }},
      {"feed.xml", [&] { return render_atom_feed(runs, cases, title, url); }},
      {"feed.json", [&] { return render_json_feed(runs, cases, title, url); }}};
  for_each_index(std::size(files), [&](std::size_t i) {
    write_if_new(request.folder + "/" + files[i].first, files[i].second());
  });
}

}  // namespace

SiteResult update_site(const SiteRequest& request, Talk& talk) {
  SiteResult result;
  const std::string& folder = request.folder;
  std::error_code problem;
  if (!fs::exists(folder + "/data", problem) && sources_in(request.runs).sources.empty())
    throw Error("there is nothing to show: '" + request.runs +
                "' holds no finished run; measure one with `plumbline run` or `check`, or name "
                "another folder with --runs");
  for (const char* part : {"", "/assets", "/data", "/commits", "/cases"}) {
    fs::create_directories(folder + part, problem);
    if (problem) throw Error(folder + part + ": cannot make the folder: " + problem.message());
  }
  const OpenFile lock = lock_site(folder, talk);
  SiteSources sources = sources_in(request.runs);
  result.notes = sources.notes;
  Records records(folder, std::move(sources));
  const std::string tree = tree_root(request.runs);
  records.take_in(tree);
  const std::vector<KeyedRun> runs = records.in_time_order();
  if (runs.empty()) throw Error("there is nothing to show: '" + folder + "' holds no record");
  records.write_pages(runs, talk);
  for (const SiteAsset& asset : {site_style(), site_script()})
    write_if_new(folder + "/" + asset.name, asset.text);
  const std::vector<CaseRowsOverTime> cases =
      cases_over_time(runs, [&](const std::string& key) { return records.touches(key); });
  const std::vector<CaseLine> lines =
      write_cases(folder, runs, cases, decisions_at(request.baselines, runs), result.new_pages);
  const std::string name = title_of(request, tree, runs);
  write_lists(request, runs, lines, name, result.notes);
  records.mark_whole();
  result.runs = runs.size();
  result.new_runs = records.added();
  result.cases = cases.size();
  return result;
}

}  // namespace plumbline
