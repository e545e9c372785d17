#include "import/import_visits.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>

#include "analysis/estimate/estimate.h"
#include "core/error.h"
#include "store/csv/columns.h"
#include "store/csv/csv_reader.h"
#include "store/file.h"
#include "store/run/locate.h"
#include "store/run/run_writer.h"

namespace plumbline {
namespace {

constexpr std::string_view kUnchecked = "imported: the result was not checked";

ResultRow row_of(const ForeignResult& visit) {
  ResultRow row;
  row.suite = visit.suite;
  row.case_id = visit.case_id;
  row.op = visit.op;
  row.backend = visit.backend;
  row.revision = visit.revision;
  row.round = visit.round;
  row.batch = visit.batch;
  row.flops = visit.flops;
  row.bytes = visit.bytes;
  row.worker = "import-" + std::to_string(visit.round);
  return row;
}

void append_rows(const ForeignResult& visit, std::vector<ResultRow>& rows) {
  const bool is_measured = has_samples(visit.status) &&
                           std::ranges::any_of(visit.metrics, [](const ForeignMetric& metric) {
                             return !metric.samples.empty();
                           });
  const std::size_t begin = rows.size();
  if (!is_measured) {
    ResultRow& row = rows.emplace_back(row_of(visit));
    row.status = has_samples(visit.status) ? Status::unsupported : visit.status;
    row.reason = visit.reason;
    for (const ForeignMetric& metric : visit.metrics)
      if (row.reason.empty()) row.reason = metric.absent;
  } else {
    for (const ForeignMetric& metric : visit.metrics) {
      ResultRow& row = rows.emplace_back(row_of(visit));
      row.metric = metric.name;
      row.unit = metric.unit;
      row.status = metric.samples.empty() ? Status::unsupported : visit.status;
      row.reason = metric.samples.empty()                                       ? metric.absent
                   : visit.reason.empty() && visit.status == Status::unverified ? kUnchecked
                                                                                : visit.reason;
      if (metric.samples.empty()) continue;
      row.samples.add_block(metric.samples);
      row.flags = visit.flags;
    }
  }
  number_rows(std::span(rows).subspan(begin));
}

std::string file_part(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == ' ' || c == '/'; }, '-');
  return file_name_of(text);
}

/// The device, and what distinguishes its runs if it has several.
std::string name_of_run(const Environment& environment, const std::vector<Environment>& all) {
  std::string name = device_slug(environment);
  for (const EnvironmentField& field : environment_fields()) {
    const std::string value = field.text(environment);
    const bool tells_apart = std::ranges::any_of(all, [&](const Environment& other) {
      return other.device_class == environment.device_class && field.text(other) != value;
    });
    if (tells_apart && !value.empty()) name += "-" + file_part(value);
  }
  return name;
}

}  // namespace

void merge(ForeignResult& visit, ForeignResult&& more) {
  // If one metric or repetition failed, the case failed.
  if (is_failure(more.status) ||
      (has_samples(more.status) && !is_failure(visit.status) && !has_samples(visit.status))) {
    visit.status = more.status;
    visit.reason = more.reason;
  }
  for (ForeignMetric& metric : more.metrics) {
    const auto known = std::ranges::find(visit.metrics, metric.name, &ForeignMetric::name);
    if (known == visit.metrics.end())
      visit.metrics.push_back(std::move(metric));
    else
      std::ranges::copy(metric.samples, std::back_inserter(known->samples));
  }
  for (std::string& flag : more.flags)
    if (std::ranges::find(visit.flags, flag) == visit.flags.end())
      visit.flags.push_back(std::move(flag));
}

std::vector<FileRef> files_of_processes(const std::vector<std::string>& paths) {
  std::vector<FileRef> files;
  for (const std::string& path : paths) {
    const std::string hash = hash_of_file(path).text();
    if (const auto known = std::ranges::find(files, hash, &FileRef::hash); known != files.end())
      throw Error(path + ": found the same results as in " + known->path +
                  "; expected files of different processes: name each file once");
    files.push_back({path, hash});
  }
  return files;
}

std::string_view sample_mistake(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "a finite number";
  if (std::abs(value) > kLargestSample) return kSampleSizes;
  if (unit == "s" && value <= 0) return "a time above 0";
  return value < 0 ? "a number from 0" : "";
}

ForeignRuns::Making& ForeignRuns::run_of(const Environment& environment) {
  const auto found = std::ranges::find(runs_, environment, &Making::environment);
  if (found != runs_.end()) return *found;
  runs_.push_back({environment, {}, {}});
  return runs_.back();
}

void ForeignRuns::add(const Environment& environment, ForeignResult result) {
  Making& run = run_of(environment);
  const auto [place, is_new] =
      run.last.try_emplace({result.suite, result.case_id}, run.visits.size());
  if (is_new) {
    run.visits.push_back(std::move(result));
    return;
  }
  ForeignResult& earlier = run.visits[place->second];
  if (repeats_ == Repeats::refused)
    throw Error(result.place + ": found the case " + shown(result.case_id) + " of " +
                shown(environment.device_class) + " again, after " + earlier.place +
                "; expected each case once: a parameter, or an entry of the environment, that "
                "tells them apart is missing from the mapping, or 'repeats' says what they are");
  if (repeats_ == Repeats::samples && has_samples(result.status) && has_samples(earlier.status)) {
    merge(earlier, std::move(result));
    return;
  }
  if (repeats_ == Repeats::visits) result.round = earlier.round + 1;
  place->second = run.visits.size();
  run.visits.push_back(std::move(result));
}

std::vector<Run> ForeignRuns::take() {
  std::vector<Environment> environments;
  for (const Making& making : runs_) environments.push_back(making.environment);
  std::vector<Run> runs;
  std::set<std::string> names;
  for (Making& making : runs_) {
    Run& run = runs.emplace_back();
    run.info.measurement_revision = kForeignRevision;
    run.info.environment = making.environment;
    const std::string name = name_of_run(making.environment, environments);
    run.path = name;
    for (int i = 2; !names.insert(run.path).second; ++i) run.path = name + "-" + std::to_string(i);
    for (const ForeignResult& visit : making.visits) {
      append_rows(visit, run.rows);
      for (const ForeignMetric& metric : visit.metrics)
        if (!metric.better.empty()) run.info.better[metric.name] = metric.better;
      if (std::ranges::find(run.info.suites, visit.suite, &SuiteRef::name) == run.info.suites.end())
        run.info.suites.push_back({visit.suite, "", "", files_});
    }
  }
  runs_.clear();
  return runs;
}

std::vector<std::string> write_imported(const Imported& imported, const std::string& folder,
                                        const std::vector<std::string>& command,
                                        const std::string& now) {
  std::vector<std::string> paths;
  for (const Run& run : imported.runs) {
    const std::string path = (std::filesystem::path(folder) / run.path).string();
    RunInfo info = run.info;
    info.plumbline = PLUMBLINE_VERSION;
    info.command = command;
    if (info.started_at.empty()) info.started_at = now;
    RunWriter writer(path, info);
    for (std::size_t begin = 0; begin < run.rows.size();) {
      const auto parts = static_cast<std::size_t>(run.rows[begin].parts);
      writer.append_visit(std::span(run.rows).subspan(begin, parts));
      begin += parts;
    }
    writer.finish(info.started_at);
    paths.push_back(path);
  }
  return paths;
}

}  // namespace plumbline
