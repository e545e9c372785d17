#include "workflow/bundle/bundle.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "analysis/replay/replay.h"
#include "core/error.h"
#include "store/bundle/archive.h"
#include "store/bundle/bundle_reader.h"
#include "store/file.h"
#include "store/run/run_json.h"
#include "store/verdict/comparison_json.h"
#include "workflow/bundle/contents.h"
#include "workflow/bundle/readable_sides.h"
#include "workflow/bundle/side_files.h"
#include "workflow/results/page.h"
#include "workflow/results/redacted_copy.h"
#include "workflow/scratch_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kComparisonName = "comparison.json";
constexpr std::array kRunFiles{"run.json", "results.csv", "summary.csv"};

std::string comparison_file(const std::string& path) {
  return fs::is_directory(path) ? (fs::path(path) / kComparisonName).string() : path;
}

/// The files of a run, under its name in the archive. A baseline's file is none.
void add_run(const fs::path& folder, const std::string& name, ArchiveFiles& files) {
  std::error_code none;
  if (!fs::is_regular_file(folder / kRunFiles[0], none)) return;
  for (const char* file : kRunFiles)
    if (fs::is_regular_file(folder / file, none))
      files["results/" + name + "/" + file] = read_text((folder / file).string());
}

/// Comparison, runs and page.
void add_results(const BundleRequest& request, const Comparison& comparison, ArchiveFiles& files,
                 Talk& talk) {
  const ScratchFolder scratch;
  std::string path = comparison_file(request.comparison);
  fs::path baseline = comparison.baseline_path, candidate = comparison.candidate_path;
  if (!request.is_unredacted) {
    const fs::path copy = fs::path(scratch.path()) / "copy";
    redact({{path}, copy.string()}, talk);
    path = (copy / kComparisonName).string();
    baseline = copy / "baseline";
    candidate = copy / "candidate";
  }
  files[kBundledComparison] = read_text(path);
  add_run(baseline, "baseline", files);
  add_run(candidate, "candidate", files);
  const std::string page = scratch.path() + "/page.html";
  write_page({path}, page, "", "", talk);
  files[kBundledPage] = read_text(page);
}

/// Without folders, which may name people.
std::string name_alone(const std::string& path) { return path.substr(path.rfind('/') + 1); }

BundledSide side_of(const RunInfo& info, const std::set<std::string>& suites,
                    const BundleRequest& request, const char* place, ArchiveFiles& files) {
  const std::string here = fs::absolute(comparison_file(request.comparison)).parent_path().string();
  SideFiles found = files_of_side(info, suites, {".", here});
  BundledSide side;
  side.commit = info.environment.commit;
  side.dirty = !info.environment.dirty ? "" : *info.environment.dirty ? "yes" : "no";
  side.worker_hash = info.environment.worker_hash;
  side.suites = std::move(found.suites);
  side.extensions = std::move(found.extensions);
  side.sources = std::move(found.sources);
  side.absent = std::move(found.absent);
  std::ranges::sort(side.sources, {}, &BundledSource::path);
  if (request.is_unredacted) side.variables = info.variables;
  side.hides_variables = !request.is_unredacted && !info.variables.empty();
  if (!request.is_unredacted)
    for (AbsentSource& absent : side.absent) absent.path = name_alone(absent.path);
  for (auto& [path, content] : found.contents)
    files[std::string(place) + "/" + path] = std::move(content);
  return side;
}

Comparison comparison_at(const std::string& path) {
  const std::string file = comparison_file(path);
  auto comparison = fs::exists(file) ? find_comparison(file) : std::nullopt;
  if (!comparison)
    throw Error(path +
                ": found no comparison; a bundle is made of a comparison.json, or of a folder of "
                "`ab` (compare two runs with `plumbline compare A B -o comparison.json`)");
  if (!comparison->baseline.redacted.empty() || !comparison->candidate.redacted.empty())
    throw Error(path +
                ": this is a redacted copy, which does not name its files: bundle the original; a "
                "bundle is redacted too");
  return std::move(*comparison);
}

/// The run that says where the code of a side lay. `check`, whose comparison lies in a run, has
/// measured the baseline's side in pairs, in a checkout that still has what was built; the folder
/// of an accepted result has other code by now.
RunInfo code_of_side(const Comparison& comparison, std::size_t i, const std::string& path) {
  RunInfo known = i == 0 ? comparison.baseline : comparison.candidate;
  const fs::path folder = fs::path(comparison_file(path)).parent_path();
  std::error_code none;
  if (!fs::is_regular_file(folder / kRunFiles[0], none)) return known;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, none)) {
    const fs::path run = entry.path() / (i == 0 ? "a" : "b") / kRunFiles[0];
    if (entry.path().filename().string().starts_with("pairs") && fs::is_regular_file(run, none))
      return read_run_json(run.string()).info;
  }
  return known;
}

/// What was asked for besides the number of rounds, which pairs decide.
std::map<std::string, std::string> policy_of(const RunInfo& info) {
  std::map<std::string, std::string> policy = info.asked.value_or(Asked{}).policy;
  policy.erase("rounds");
  return policy;
}

void require_suites(const Bundle& bundle, const std::string& comparison) {
  for (const std::size_t i : {0, 1})
    if (!bundle.sides[i].absent.empty() && bundle.sides[i].suites.empty())
      throw Error(comparison + ": no suite of side " + "ab"[i] + " is there as it was measured (" +
                  bundle.sides[i].absent.front().path + ": " + bundle.sides[i].absent.front().why +
                  "); call this in the repository that has its commit");
}

}  // namespace

Bundle make_bundle(const BundleRequest& request, Talk& talk) {
  const Comparison comparison = comparison_at(request.comparison);
  Bundle bundle;
  bundle.plumbline = PLUMBLINE_VERSION;
  bundle.is_redacted = !request.is_unredacted;
  std::set<CaseKey> cases;
  std::set<std::string> suites;
  for (const Finding& claim : claims_of(comparison, request.cases)) {
    cases.insert({claim.suite, claim.case_id});
    suites.insert(claim.suite);
  }
  bundle.cases.assign(cases.begin(), cases.end());
  bundle.set = comparison.candidate.asked.value_or(Asked{}).set;
  bundle.policy = policy_of(comparison.candidate);
  ArchiveFiles files;
  for (const std::size_t i : {0, 1})
    bundle.sides[i] = side_of(code_of_side(comparison, i, request.comparison), suites, request,
                              kBundledSides[i], files);
  require_suites(bundle, request.comparison);
  add_results(request, comparison, files, talk);
  for (const auto& [name, content] : files)
    bundle.files.push_back({name, std::int64_t(content.size()), content_hash_of(content)});
  files[kBundleFile] = bundle_json_text(bundle);
  write_archive(request.output, files);
  talk.notes(limits_of_replay(bundle));
  const ScratchFolder scratch;  // what was written is read as a replay will read it
  read_bundle(request.output, scratch.path());
  for (const std::string& mistake : mistakes_in_sides(bundle, scratch.path()))
    talk.note("a replay cannot measure it: " + mistake);
  return bundle;
}

}  // namespace plumbline
