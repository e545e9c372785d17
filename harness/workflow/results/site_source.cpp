#include "workflow/results/site_source.h"

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/run/case.h"
#include "reports/answer.h"
#include "store/file.h"
#include "store/folder.h"
#include "store/run/counted_runs.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"
#include "store/run/summary.h"
#include "store/verdict/comparison_json.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kComparison = "comparison.json";
constexpr const char* kReport = "report.html";
/// The kind of commit pages: pages of another kind are made again.
constexpr const char* kPages = "linked; ";

std::string stamp_of(const fs::path& folder) {
  std::string stamp = kPages;
  for (const char* name : {"run.json", "results.csv", kComparison, kReport}) {
    std::error_code problem;
    const auto bytes = fs::file_size(folder / name, problem);
    if (problem) continue;
    const auto written = fs::last_write_time(folder / name, problem).time_since_epoch().count();
    stamp += std::string(name) + " " + std::to_string(bytes) + " " + std::to_string(written) + "; ";
  }
  return stamp;
}

Summary summary_of(const std::string& path) {
  try {
    return read_summary(path);
  } catch (const StaleSummary&) {
    const Run run = read_run(path);
    return {run.info, summarize(run), path};
  }
}

/// Driver and libraries; charts mark their changes.
std::string software_of(const Environment& environment) {
  std::string text;
  for (const auto& [name, value] : {std::pair{"driver ", &environment.driver},
                                    {"CUDA ", &environment.cuda_runtime},
                                    {"cuDNN ", &environment.cudnn},
                                    {"LibTorch ", &environment.libtorch}})
    if (!value->empty()) text += (text.empty() ? "" : ", ") + std::string(name) + *value;
  return text;
}

void take_info(const RunInfo& info, SiteRun& record) {
  const Environment& environment = info.environment;
  record.started_at = info.started_at;
  record.commit = environment.commit;
  record.is_redacted = !info.redacted.empty();
  record.device_class = environment.device_class;
  record.device_uuid = environment.device_uuid();
  record.software = software_of(environment);
  record.measurement_revision = info.measurement_revision;
  for (const SuiteRef& suite : info.suites) record.suites.push_back(suite.name);
}

/// Excluded and unsupported cases have no history.
void take_rows(const std::vector<CaseSummary>& rows, SiteRun& record) {
  for (const CaseSummary& row : rows) {
    const bool has_time = !row.metric.empty() && row.estimate > 0;
    if (!has_time && (row.status == Status::excluded || row.status == Status::unsupported ||
                      !row.metric.empty()))
      continue;
    record.rows.push_back({row.suite, row.case_id, row.metric, row.unit, row.revision, row.status,
                           row.estimate, row.low, row.high, ""});
  }
}

void take_comparison(const Comparison& comparison, SiteRun& record) {
  record.sentence = answer_text(answer_of(comparison));
  record.exit_code = std::to_string(exit_code(comparison));
  const Census census = census_of(comparison);
  const auto count = [&](const auto& names, const auto& cases) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (cases[i] > 0) record.counts[std::string(names[i])] = std::to_string(cases[i]);
  };
  count(kVerdictNames, census.verdicts);
  count(kEntryKindNames, census.excused);
  const auto name = [](const std::string& suite, const std::string& case_id,
                       const std::string& metric) {
    return suite + '\n' + case_id + '\n' + metric;
  };
  std::unordered_map<std::string, Verdict> verdicts;
  for (const Finding& finding : comparison.findings)
    verdicts.emplace(name(finding.suite, finding.case_id, finding.metric), finding.verdict);
  for (SiteRow& row : record.rows)
    if (const auto found = verdicts.find(name(row.suite, row.case_id, row.metric));
        found != verdicts.end())
      row.verdict = name_of(found->second);
}

/// Compared runs come first: of a run and its copy, the compared one has more to show.
std::vector<fs::path> folders_in(const std::string& folder) {
  std::vector<fs::path> folders = entries_of(folder);
  std::ranges::sort(folders, {}, [](const fs::path& path) {
    std::error_code none;
    return std::pair(!fs::exists(path / kComparison, none), path);
  });
  return folders;
}

}  // namespace

SiteSources sources_in(const std::string& folder) {
  SiteSources found;
  const auto add = [&](const fs::path& path, bool is_run) {
    const std::string name = path.filename().string();
    found.sources.push_back({stable_hash_text(name), name, path.string(), stamp_of(path), is_run});
  };
  std::vector<std::string> runs, closed;
  for (const fs::path& path : folders_in(folder)) {
    if (fs::is_directory(path) && is_closed(path)) {
      closed.push_back(path.string() + ": may not be entered, and was left out");
      continue;
    }
    if (fs::is_regular_file(path / "run.json"))
      runs.push_back(path.string());
    else if (fs::is_regular_file(path / kComparison))
      add(path, false);
  }
  CountedRuns counted = counted_runs(runs);
  found.notes = std::move(counted.notes);
  found.notes.insert(found.notes.end(), closed.begin(), closed.end());
  for (const RunToCount& run : counted.left_out)
    if (run.is_finished)
      found.replaced.emplace(fs::path(run.path).filename().string(), run.started_at);
  for (const RunToCount& run : counted.runs) {
    add(run.path, true);
    for (const MergedShard& shard : run.shards)
      found.replaced.emplace(shard.folder, shard.started_at);
  }
  std::ranges::sort(found.sources, {}, &SiteSource::name);
  std::ranges::sort(found.notes);
  return found;
}

SiteRun read_source(const SiteSource& source) {
  SiteRun record;
  record.name = source.name;
  record.stamp = source.stamp;
  if (source.is_run) {
    const Summary summary = summary_of(source.path);
    take_info(summary.info, record);
    take_rows(summary.rows, record);
  }
  const std::string path = source.path + "/" + kComparison;
  if (!fs::exists(path)) return record;
  const Comparison comparison = read_comparison(path);
  if (!source.is_run) take_info(comparison.candidate, record);
  if (record.started_at != comparison.candidate.started_at)
    throw Error(path + ": judges a run of " + comparison.candidate.started_at +
                ", but the run beside it is of " + record.started_at +
                ": compare again, or delete it");
  take_comparison(comparison, record);
  return record;
}

void write_commit_page(const SiteSource& source, const std::string& output, Origins& origins,
                       Talk& talk) {
  const fs::path folder(source.path);
  const bool is_compared = fs::exists(folder / kComparison);
  const fs::path shown = is_compared ? folder / kComparison : folder / "run.json";
  const fs::path report = folder / kReport;
  if (!fs::exists(report) || fs::last_write_time(report) < fs::last_write_time(shown)) {
    write_page({is_compared ? shown.string() : source.path}, output, "", "", origins, talk);
    return;
  }
  const std::string temporary = output + ".tmp";
  std::error_code problem;
  fs::copy_file(report, temporary, fs::copy_options::overwrite_existing, problem);
  if (!problem) fs::rename(temporary, output, problem);
  if (problem)
    throw Error(output + ": cannot copy " + report.string() + " there: " + problem.message());
}

}  // namespace plumbline
