#include "store/verdict/gbench_file.h"

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "analysis/estimate/repetition.h"
#include "core/error.h"
#include "store/json/json_fields.h"

namespace plumbline {
namespace {

constexpr double kNanoseconds = 1e9;

Json context_of(const RunInfo& info) {
  const Environment& environment = info.environment;
  std::string date = info.started_at;
  if (date.ends_with('Z')) date.replace(date.size() - 1, 1, "+00:00");
  Json context{{"date", date},
               {"host_name", environment.host},
               {"executable", "plumbline"},
               {"caches", Json::array()},
               {"load_avg", Json::array()},
               {"library_build_type", "release"},
               {"plumbline_measurement_revision", std::to_string(info.measurement_revision)}};
  for (const EnvironmentField& field : environment_fields())
    if (const std::string text = field.text(environment); !text.empty())
      context["plumbline_" + std::string(field.name)] = text;
  return context;
}

/// The fields that all entries of one benchmark share.
Json entry(const std::string& name, std::size_t family, std::size_t repetitions,
           std::size_t repetition) {
  return {{"name", name},
          {"family_index", family},
          {"per_family_instance_index", 0},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", repetitions},
          {"repetition_index", repetition},
          {"threads", 1}};
}

void add_visits(const MetricRows& metric, const std::string& name, std::size_t family,
                Json& benchmarks) {
  for (std::size_t i = 0; i < metric.rows.size(); ++i) {
    const Repetition visit = repetition_of(*metric.rows[i]);
    Json made = entry(name, family, metric.rows.size(), i);
    made["iterations"] = 1;
    made["real_time"] = visit.seconds * kNanoseconds;
    made["cpu_time"] = 0.0;
    made["time_unit"] = "ns";
    if (visit.flops > 0 && visit.seconds > 0) made["FLOP/s"] = visit.flops / visit.seconds;
    if (visit.bytes > 0 && visit.seconds > 0)
      made["bytes_per_second"] = visit.bytes / visit.seconds;
    if (!visit.label.empty()) made["label"] = visit.label;
    benchmarks.push_back(std::move(made));
  }
}

void add_error(const std::string& name, std::size_t family, const std::string& message,
               Json& benchmarks) {
  Json made = entry(name, family, 1, 0);
  made["error_occurred"] = true;
  made["error_message"] = message;
  made["iterations"] = 0;
  made["real_time"] = 0.0;
  made["cpu_time"] = 0.0;
  made["time_unit"] = "ns";
  benchmarks.push_back(std::move(made));
}

std::string benchmark_name(const CaseRows& found, std::string_view metric, std::size_t visits) {
  std::string name = std::string(found.suite) + "/" + std::string(found.case_id) + "/" +
                     std::string(metric) + "/iterations:1";
  if (visits > 1) name += "/repeats:" + std::to_string(visits);
  return name + "/manual_time";
}

}  // namespace

GbenchText gbench_json(const Run& run) {
  const std::vector<CaseRows> cases = rows_by_case(run);
  std::string_view usual;  // the metric that names cases without samples
  for (const CaseRows& found : cases)
    for (const MetricRows& metric : found.metrics)
      if (usual.empty() && metric.unit == "s") usual = metric.metric;
  if (usual.empty())
    throw Error(run.path + ": holds no time; Google Benchmark's format holds nothing else");
  GbenchText text;
  Json benchmarks = Json::array();
  std::size_t family = 0;
  for (const CaseRows& found : cases) {
    if (!has_samples(found.status) || !found.measured()) {
      add_error(benchmark_name(found, usual, 1), family++,
                no_repetitions(found.status, found.reason), benchmarks);
      continue;
    }
    for (const MetricRows& metric : found.metrics) {
      if (metric.unit != "s") {
        text.left_out += metric.rows.size();
        continue;
      }
      add_visits(metric, benchmark_name(found, metric.metric, metric.rows.size()), family++,
                 benchmarks);
    }
  }
  Json root;
  root["context"] = context_of(run.info);
  root["benchmarks"] = std::move(benchmarks);
  text.json = json_text(root);
  return text;
}

}  // namespace plumbline
