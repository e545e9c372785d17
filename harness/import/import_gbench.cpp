#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "core/error.h"
#include "core/moment.h"
#include "core/run/case.h"
#include "core/run/metric.h"
#include "import/import.h"
#include "import/import_visits.h"
#include "store/csv/column.h"
#include "store/file.h"
#include "store/json/json_fields.h"

namespace plumbline {
namespace {

constexpr std::string_view kOwnPrefix = "plumbline_";  // written by gbench/google_benchmark.cpp
constexpr std::string_view kOwnRevision = "plumbline_measurement_revision";

/// Members of a benchmark that are read, or that results.csv cannot hold.
constexpr std::array<std::string_view, 27> kKnown{"name",
                                                  "run_name",
                                                  "run_type",
                                                  "family_index",
                                                  "repetitions",
                                                  "repetition_index",
                                                  "threads",
                                                  "per_family_instance_index",
                                                  "iterations",
                                                  "real_time",
                                                  "cpu_time",
                                                  "time_unit",
                                                  "aggregate_name",
                                                  "aggregate_unit",
                                                  "label",
                                                  "error_occurred",
                                                  "error_message",
                                                  "skipped",
                                                  "skip_message",
                                                  "bytes_per_second",
                                                  "FLOP/s",
                                                  "cpu_coefficient",
                                                  "real_coefficient",
                                                  "big_o",
                                                  "rms",
                                                  "allocs_per_iter",
                                                  "max_bytes_used"};

std::string text_in(const JsonView& view, std::string_view key) {
  const auto found = view.find(key);
  return found ? found->text() : "";
}

double number_in(const JsonView& view, std::string_view key) {
  const auto found = view.find(key);
  return found ? found->number() : kUnknown;
}

JsonView required(const JsonView& view, std::string_view key) {
  if (auto found = view.find(key)) return *found;
  view.fail(fmt::format("an object with '{}', as Google Benchmark writes it", key));
}

double unit_factor(const JsonView& benchmark) {
  const auto unit = benchmark.find("time_unit");
  const auto scaled = scaled_unit(unit ? unit->text() : "ns");
  if (!scaled || scaled->base != "s") unit->fail("ns, us, ms or s");
  return scaled->factor;
}

/// The parts of a benchmark's name without the suffixes that Google Benchmark appends for run
/// options; at least one.
std::vector<std::string> name_parts(const std::string& name) {
  std::vector<std::string> parts;
  for (std::string_view rest = name;;) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    const bool is_manner = part == "manual_time" || part == "real_time" || part == "process_time" ||
                           part == "threads:1" || part.starts_with("iterations:") ||
                           part.starts_with("repeats:") || part.starts_with("min_time:") ||
                           part.starts_with("min_warmup_time:");
    if (!is_manner || parts.empty()) parts.emplace_back(part);
    if (slash == std::string_view::npos) return parts;
    rest.remove_prefix(slash + 1);
  }
}

Value value_of(const std::string& text) {
  std::int64_t integer;
  if (parse_integer(text, integer)) return integer;
  return text;
}

/// One file: properties of its results, and counts of what it has besides results.
struct GbenchFile {
  std::string path, program;
  bool is_own = false;  // written by plumbline-gbench
  Environment environment;
  std::string date;
  int revision = kForeignRevision;
  std::size_t aggregates = 0;
  std::map<std::string, std::size_t> counters;
};

void read_context(const JsonView& root, const ImportOptions& options, GbenchFile& file) {
  const JsonView context = required(root, "context");
  if (const std::string date = text_in(context, "date"); !date.empty()) {
    const auto moment = moment_of(date);
    if (!moment) required(context, "date").fail(kMomentForms);
    file.date = utc_text(*moment);
  }
  const std::string executable = text_in(context, "executable");
  file.program = std::filesystem::path(executable.empty() ? file.path : executable).stem().string();
  file.environment.host = text_in(context, "host_name");
  for (const EnvironmentField& field : environment_fields())
    if (const auto found = context.find(std::string(kOwnPrefix) + std::string(field.name))) {
      if (const auto expected = field.read(found->text(), file.environment); !expected.empty())
        found->fail(expected);
      file.is_own = true;
    }
  if (const auto revision = context.find(kOwnRevision)) {
    const std::string text = revision->text();
    if (!parse_integer(text, file.revision)) revision->fail("an integer");
  }
  if (!options.device.empty()) {
    if (!file.environment.device_class.empty())
      throw Error(file.path + ": was measured on '" + file.environment.device_class +
                  "', as it says itself; leave --device out");
    file.environment.device_class = file.environment.device_model = options.device;
  }
  if (file.environment.device_class.empty())
    throw Error(file.path +
                ": Google Benchmark does not record on which device it ran; give --device NAME");
}

/// Case and metric of a benchmark from plumbline-gbench: suite/case id/metric.
ForeignResult own_result(const JsonView& benchmark, const std::vector<std::string>& parts) {
  if (parts.size() < 4)
    required(benchmark, "name").fail("suite/op/backend/…/metric, as plumbline-gbench names cases");
  ForeignResult result;
  result.suite = parts.front();
  for (std::size_t i = 1; i + 1 < parts.size(); ++i)
    result.case_id += (i > 1 ? "/" : "") + parts[i];
  const auto names = case_id_parts(result.case_id);
  result.op = names[0].second;
  result.backend = names[1].second;
  return result;
}

ForeignResult foreign_result(const GbenchFile& file, const std::vector<std::string>& parts,
                             const ImportOptions& options) {
  ForeignResult result;
  result.suite = file.program;
  result.op = parts.front();
  result.backend = options.backend.empty() ? file.program : options.backend;
  Params params;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t colon = parts[i].find(':');
    const bool is_named = colon != std::string::npos && colon > 0;
    params[is_named ? parts[i].substr(0, colon) : "arg" + std::to_string(i - 1)] =
        value_of(is_named ? parts[i].substr(colon + 1) : parts[i]);
  }
  result.case_id = case_id(result.op, result.backend, params);
  return result;
}

/// Parses "WRONG: why" into status and reason; any other message means that the case could not be
/// measured.
void set_failure(const std::string& message, ForeignResult& result) {
  const std::size_t colon = message.find(": ");
  const auto status =
      colon == std::string::npos ? std::nullopt : status_named(message.substr(0, colon));
  const bool is_named = status && !has_samples(*status);
  result.status = is_named ? *status : Status::unsupported;
  result.reason = is_named ? message.substr(colon + 2) : message;
}

void set_label(const std::string& label, ForeignResult& result) {
  constexpr std::string_view kUnverified = "UNVERIFIED: ";
  result.status = Status::ok;
  if (label.starts_with(kUnverified)) {
    result.status = Status::unverified;
    result.reason = label.substr(kUnverified.size());
    return;
  }
  for (std::string_view rest = label; !rest.empty();) {
    const std::size_t end = rest.find("; ");
    result.flags.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
  }
}

ForeignMetric time_of(const JsonView& benchmark, std::string_view key, std::string name) {
  ForeignMetric metric{std::move(name), "s", {}, ""};
  const JsonView found = required(benchmark, key);
  const double time = found.number() * unit_factor(benchmark);
  if (time < 0) found.fail("a time from 0");
  if (const std::string_view expected = sample_mistake(time, "s"); expected.empty())
    metric.samples = {time};
  else
    metric.absent = fmt::format("{} is {}, expected {}", key, time, expected);
  return metric;
}

std::string failure_of(const JsonView& benchmark) {
  for (const auto& [mark, said] :
       {std::pair{"error_occurred", "error_message"}, {"skipped", "skip_message"}})
    if (const auto found = benchmark.find(mark); found && found->boolean()) {
      const std::string message = text_in(benchmark, said);
      return message.empty() ? "the benchmark failed without a message" : message;
    }
  return "";
}

/// Reads a metric of one repetition.
ForeignResult read_benchmark(const JsonView& benchmark, const ImportOptions& options,
                             GbenchFile& file) {
  const std::string run_name = text_in(benchmark, "run_name");
  const std::string name = required(benchmark, "name").text();
  const std::vector<std::string> parts = name_parts(run_name.empty() ? name : run_name);
  ForeignResult result =
      file.is_own ? own_result(benchmark, parts) : foreign_result(file, parts, options);
  result.place = file.path + ": benchmark '" + name + "'";
  const std::string metric = file.is_own ? parts.back() : "gbench_real_time";
  if (const std::string failure = failure_of(benchmark); !failure.empty()) {
    set_failure(failure, result);
    result.metrics.push_back({metric, "s", {}, failure});
    return result;
  }
  result.metrics.push_back(time_of(benchmark, "real_time", metric));
  if (file.is_own)
    set_label(text_in(benchmark, "label"), result);
  else
    result.metrics.push_back(time_of(benchmark, "cpu_time", "gbench_cpu_time"));
  const double iterations = number_in(benchmark, "iterations");
  if (!file.is_own && iterations >= 1) result.batch = static_cast<std::int64_t>(iterations);
  if (!result.metrics.front().samples.empty()) {
    const double time = result.metrics.front().samples.front();
    result.flops = number_in(benchmark, "FLOP/s") * time;
    result.bytes = number_in(benchmark, "bytes_per_second") * time;
  }
  for (const auto& [key, value] : benchmark.members())
    if (std::ranges::find(kKnown, key) == kKnown.end()) ++file.counters[key];
  return result;
}

bool is_aggregate(const JsonView& benchmark) {
  return text_in(benchmark, "run_type") == "aggregate";
}

/// The repetitions; for a benchmark without repetitions, its median, or else its mean.
std::vector<JsonView> results_in(const JsonView& root, GbenchFile& file) {
  const std::vector<JsonView> all = required(root, "benchmarks").items();
  std::map<std::string, std::string> best;  // benchmark -> aggregate to use for it, "" = none
  for (const JsonView& one : all) {
    const std::string kind = is_aggregate(one) ? text_in(one, "aggregate_name") : "";
    const std::string name = text_in(one, "run_name");
    if (kind.empty())
      best[name] = "";
    else if (kind == "median" || kind == "mean")
      if (const auto [place, is_new] = best.try_emplace(name, kind);
          !is_new && !place->second.empty() && kind == "median")
        place->second = kind;
  }
  std::vector<JsonView> chosen;
  for (const JsonView& one : all) {
    const auto found = best.find(text_in(one, "run_name"));
    if (!is_aggregate(one) ||
        (found != best.end() && found->second == text_in(one, "aggregate_name")))
      chosen.push_back(one);
    else
      ++file.aggregates;
  }
  return chosen;
}

void add_file(const JsonView& root, const ImportOptions& options, GbenchFile& file,
              ForeignRuns& runs) {
  read_context(root, options, file);
  // A visit has all metrics of a case; Google Benchmark lists them separately.
  std::vector<ForeignResult> visits;
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::size_t> places;
  for (const JsonView& benchmark : results_in(root, file)) {
    ForeignResult result = read_benchmark(benchmark, options, file);
    const double index = number_in(benchmark, "repetition_index");
    // Repetitions of other programs' benchmarks share a process: they are samples of one visit.
    result.round = file.is_own && index > 0 ? static_cast<std::int64_t>(index) : 0;
    const auto [place, is_new] =
        places.try_emplace({result.suite, result.case_id, result.round}, visits.size());
    if (is_new)
      visits.push_back(std::move(result));
    else
      merge(visits[place->second], std::move(result));
  }
  if (visits.empty()) root.fail("at least one benchmark");
  std::ranges::stable_sort(visits, {}, &ForeignResult::round);
  for (ForeignResult& visit : visits) runs.add(file.environment, std::move(visit));
}

}  // namespace

Imported import_gbench(const std::vector<std::string>& paths, const ImportOptions& options) {
  ForeignRuns runs(files_of_processes(paths), Repeats::visits);
  Imported imported;
  std::string date;
  std::set<int> revisions;
  for (const std::string& path : paths) {
    const ParsedJson json = read_json(path);
    GbenchFile file{.path = path, .program = {}, .environment = {}, .date = {}, .counters = {}};
    add_file(JsonView(json, path), options, file, runs);
    if (file.aggregates > 0)
      imported.notes.push_back(
          fmt::format("{}: aggregates that are left out, since they derive from the others: {}",
                      path, file.aggregates));
    for (const auto& [counter, count] : file.counters)
      imported.notes.push_back(fmt::format(
          "{}: the counter '{}' is left out {} times: its unit is not said", path, counter, count));
    if (date.empty()) date = file.date;
    revisions.insert(file.revision);
  }
  if (revisions.size() > 1)
    throw Error("the files are of different measurement revisions; import them one by one");
  imported.runs = runs.take();
  for (Run& run : imported.runs) {
    run.info.started_at = date;
    run.info.measurement_revision = *revisions.begin();
  }
  return imported;
}

}  // namespace plumbline
