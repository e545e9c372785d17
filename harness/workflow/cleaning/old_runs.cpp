#include "workflow/cleaning/old_runs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "core/error.h"
#include "store/file.h"
#include "store/folder.h"
#include "store/json/json_fields.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"
#include "store/shards/merged_writer.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// What may be measured or written at this moment without a lock.
constexpr double kYoung_s = 3600;

/// Everything that commands and ci/ write into a run, a folder of `ab` or of `check`.
const std::regex kOurFiles(
    "(run\\.json|results\\.csv|summary\\.csv|comparison\\.json|report\\.html|controls\\.json|"
    "sanitizer\\.json|worker\\.log|worker-.*\\.log|verdict\\.md|junit\\.xml|exit_code)"
    "(\\.tmp[0-9]+)?");
const std::regex kOurFolders("a|b|controls|(pairs|rerun)(-[0-9]+)?");
/// What a killed merge may leave.
const std::regex kMergedFiles("(run\\.json|results\\.csv|summary\\.csv)(\\.part)?(\\.tmp[0-9]+)?");

bool is_ours(const std::string& name, bool is_folder) {
  return std::regex_match(name, is_folder ? kOurFolders : kOurFiles);
}

bool is_of_merge(const std::string& name, bool is_folder) {
  return !is_folder && std::regex_match(name, kMergedFiles);
}

bool is_plain(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(fs::symlink_status(path, none));
}

/// A folder of runs' entry that is a run, or what `ab` or a killed `merge` made.
struct Candidate {
  Leftover leftover;
  FolderFacts facts;
  std::string name, objection;  // why it stays, "" = nothing was found yet
  std::string started_at, device_class;
  bool is_finished = false;
};

/// Texts of a JSON file that may be names of folders: parts of paths.
void add_names(const ParsedJson& json, std::set<std::string>& names) {
  if (json.is_string()) {
    const std::string text = json.get<std::string>();
    for (const fs::path& part : fs::path(text)) names.insert(part.string());
  }
  if (json.is_structured())
    for (const ParsedJson& inner : json) add_names(inner, names);
}

/// Throws Error for a comparison.json that is cut off: which runs it names is not known then.
std::set<std::string> names_in(const std::string& comparison) {
  std::set<std::string> names;
  const ParsedJson json = ParsedJson::parse(read_text(comparison), nullptr, false);
  if (json.is_discarded() && fs::path(comparison).filename() == "comparison.json")
    throw Error(comparison +
                ": found no JSON, so the runs that it names are not known; repair it, "
                "or remove it");
  if (json.is_object() && json.contains("findings")) add_names(json, names);
  return names;
}

/// Hashes of the results that baselines were made from.
std::set<std::string> accepted_hashes(const std::string& baselines) {
  std::set<std::string> hashes;
  if (!fs::is_directory(baselines)) return hashes;
  std::error_code problem;
  const auto options = fs::directory_options::follow_directory_symlink;
  fs::recursive_directory_iterator entry(baselines, options, problem), end;
  for (; !problem && entry != end; entry.increment(problem)) {
    const fs::path& path = entry->path();
    const bool is_json = path.extension() == ".json" || path.extension() == kNextJson;
    if (!is_json || !entry->is_regular_file()) continue;
    const ParsedJson json = read_json(path.string());
    if (!json.is_object() || !json.contains("runs")) continue;
    for (const RunInfo& run : read_run_json(path.string()).accepted)
      if (run.acceptance) hashes.insert(run.acceptance->source_hash);
  }
  if (problem) throw Error(baselines + ": cannot be listed: " + problem.message());
  return hashes;
}

bool is_accepted(const Candidate& candidate, const std::set<std::string>& hashes) {
  return std::ranges::any_of(candidate.facts.runs, [&](const std::string& run) {
    return is_plain(fs::path(run) / "results.csv") &&
           hashes.contains(results_hash(read_run_json(run + "/run.json").results, run));
  });
}

/// Pairs are finished if they were compared, or if no side is left unfinished. Throws Error.
bool are_finished(const fs::path& pairs) {
  if (is_plain(pairs / "comparison.json")) return true;
  return std::ranges::all_of(
      std::array{pairs / "a/run.json", pairs / "b/run.json"}, [](const fs::path& side) {
        return !is_plain(side) || !read_run_json(side.string()).info.finished_at.empty();
      });
}

/// What of the files says that the entry is no run, or which run it is. Throws Error.
bool read_what_it_is(const fs::path& path, Candidate& candidate) {
  if (is_merging_folder(candidate.name)) {
    candidate.leftover.what = "unfinished merge";
    return true;
  }
  const bool is_run = is_plain(path / "run.json");
  const bool is_pair = is_plain(path / "a/run.json") || is_plain(path / "b/run.json");
  if (!is_run && !is_pair) return false;
  const fs::path first = is_run ? path : is_plain(path / "a/run.json") ? path / "a" : path / "b";
  const RunInfo info = read_run_json((first / "run.json").string()).info;
  candidate.started_at = info.started_at;
  candidate.device_class = info.environment.device_class;
  candidate.is_finished = is_run ? !info.finished_at.empty() : are_finished(path);
  candidate.leftover.what =
      std::string(candidate.is_finished ? "" : "unfinished ") + (is_run ? "run" : "pairs of ab");
  return true;
}

/// What speaks against removing it, whatever else there is.
std::string own_objection(const Candidate& candidate, const std::set<std::string>& hashes) {
  const FolderFacts& facts = candidate.facts;
  if (facts.has_mount) return "a file system is mounted in it";
  if (!facts.stranger.empty())
    return fs::path(facts.stranger).lexically_relative(candidate.leftover.path).string() +
           " in it is not Plumbline's";
  if (is_in_use(candidate.leftover.in_use)) return "in use";
  if (is_accepted(candidate, hashes)) return "a baseline holds it";
  return "";
}

/// The same; a run that cannot be read stays, with the reason.
std::string objection_or_error(const Candidate& candidate, const std::set<std::string>& hashes) {
  try {
    return own_objection(candidate, hashes);
  } catch (const Error& error) {
    return error.what();
  }
}

/// Names that links in the folder lead to.
std::set<std::string> linked_names(const std::string& folder) {
  std::set<std::string> names;
  for (const fs::path& entry : entries_of(folder))
    if (fs::is_symlink(entry))
      for (const fs::path& part : fs::read_symlink(entry)) names.insert(part.string());
  return names;
}

struct Found {
  std::vector<Candidate> candidates;
  std::vector<std::string> comparisons;  // that lie in none of these
  Leftovers unread;                      // what cannot be read stays
};

Candidate candidate_at(const fs::path& path) {
  Candidate candidate;
  candidate.name = path.filename().string();
  const bool is_merge = is_merging_folder(candidate.name);
  candidate.facts = facts_of(path.string(), is_merge ? is_of_merge : is_ours);
  candidate.leftover.path = path.string();
  candidate.leftover.bytes = candidate.facts.bytes;
  candidate.leftover.age_s = now_s() - candidate.facts.changed;
  candidate.leftover.in_use = is_merge ? std::vector{path.string()} : candidate.facts.results;
  candidate.leftover.changed = candidate.facts.changed;
  return candidate;
}

Found look_into(const OldRunsAsked& asked) {
  Found found;
  for (const std::string& folder : {asked.runs, asked.project})
    if (fs::is_directory(folder))
      for (const fs::path& entry : entries_of(folder))
        if (entry.extension() == ".json" && fs::is_regular_file(entry))
          found.comparisons.push_back(entry.string());
  for (const fs::path& entry : entries_of(asked.runs)) {
    if (!fs::is_directory(fs::symlink_status(entry))) continue;
    Candidate candidate = candidate_at(entry);
    bool is_candidate = false;
    try {
      is_candidate = read_what_it_is(entry, candidate);
    } catch (const Error& error) {
      candidate.leftover.what = "run";
      candidate.leftover.why = error.what();
      found.unread.kept.push_back(candidate.leftover);
    }
    if (is_candidate)
      found.candidates.push_back(std::move(candidate));
    else
      std::ranges::copy(candidate.facts.comparisons, std::back_inserter(found.comparisons));
  }
  std::ranges::sort(found.candidates, {}, &Candidate::name);
  return found;
}

/// The newest `keep` finished runs of each device class stay.
void spare_newest(std::size_t keep, std::vector<Candidate>& candidates) {
  std::map<std::string, std::vector<Candidate*>> by_class;
  for (Candidate& one : candidates)
    if (one.is_finished) by_class[one.device_class].push_back(&one);
  for (auto& [name, of_class] : by_class) {
    std::ranges::stable_sort(of_class, std::greater<>(), &Candidate::started_at);
    for (std::size_t i = 0; i < std::min(keep, of_class.size()); ++i)
      if (of_class[i]->objection.empty()) of_class[i]->objection = "one of the newest";
  }
}

/// What a comparison that stays names stays, too, and so do the comparisons in it.
void spare_compared(std::vector<std::string> comparisons, std::vector<Candidate>& candidates) {
  std::set<const Candidate*> seen;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const Candidate& one : candidates)
      if (!one.objection.empty() && seen.insert(&one).second)
        std::ranges::copy(one.facts.comparisons, std::back_inserter(comparisons));
    for (const std::string& comparison : comparisons) {
      const std::set<std::string> names = names_in(comparison);
      for (Candidate& one : candidates)
        if (one.objection.empty() && names.contains(one.name)) {
          one.objection = comparison + " names it";
          goes_on = true;
        }
    }
    comparisons.clear();
  }
}

}  // namespace

Leftovers old_runs(const OldRunsAsked& asked) {
  const std::set<std::string> hashes = accepted_hashes(asked.baselines);
  const std::set<std::string> linked = linked_names(asked.runs);
  Found found = look_into(asked);
  // These are not worth a word: nobody expects them to go.
  constexpr const char* kFinished = "finished";
  constexpr const char* kRecent = "recent";
  for (Candidate& one : found.candidates) {
    one.objection = objection_or_error(one, hashes);
    if (one.objection.empty() && linked.contains(one.name)) one.objection = "a link leads to it";
    if (one.leftover.age_s < std::max(asked.older_than_s, kYoung_s)) one.objection = kRecent;
    if (one.is_finished && !asked.keep) one.objection = kFinished;
  }
  if (asked.keep) spare_newest(*asked.keep, found.candidates);
  spare_compared(found.comparisons, found.candidates);
  Leftovers result = std::move(found.unread);
  for (Candidate& one : found.candidates) {
    one.leftover.why = one.objection.empty() ? "not changed for " + age_in_words(asked.older_than_s)
                                             : one.objection;
    if (one.objection.empty())
      result.removable.push_back(std::move(one.leftover));
    else if (one.objection != kRecent && one.objection != kFinished)
      result.kept.push_back(std::move(one.leftover));
  }
  return result;
}

}  // namespace plumbline
