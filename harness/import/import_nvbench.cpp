#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "core/error.h"
#include "core/run/case.h"
#include "import/import.h"
#include "import/import_nvbench_samples.h"
#include "import/import_visits.h"
#include "store/csv/column.h"
#include "store/file.h"
#include "store/json/json_fields.h"

namespace plumbline {
namespace {

/// A time of one launch: the summary with its mean, the one that names the file of its samples, and
/// its name here. NVBench's cold times follow an L2 flush; its batch times are of back-to-back
/// launches.
struct NvbenchTime {
  std::string_view mean, samples, name;
};
constexpr auto kTimes = std::to_array<NvbenchTime>({
    {"nv/cold/time/gpu/mean", "nv/json/bin:nv/cold/sample_times", "nvbench_gpu_time_cold"},
    {"nv/cold/time/cpu/mean", "", "nvbench_cpu_time_cold"},
    {"nv/batch/time/gpu/mean", "", "nvbench_gpu_time_batch"},
    {"nv/batch/time/cpu/mean", "", "nvbench_cpu_time_batch"},
    {"nv/cpu_only/time/cpu/mean", "nv/json/bin:nv/cpu_only/sample_times", "nvbench_cpu_time"},
});
constexpr std::string_view kBandwidth = "nv/cold/bw/global/bytes_per_second";

JsonView required(const JsonView& view, std::string_view key) {
  if (auto found = view.find(key)) return *found;
  view.fail(fmt::format("an object with '{}', as NVBench writes it", key));
}

/// NVBench writes 64-bit numbers as strings.
std::string text_of(const JsonView& view) {
  try {
    return view.text();
  } catch (const Error&) {
    return shortest_text(view.number());
  }
}

double number_of(const JsonView& view) {
  double number;
  if (!parse_number(text_of(view), number)) view.fail("a number");
  return number;
}

/// The value of the entry in `list` with that name.
std::optional<JsonView> named_value(const JsonView& list, std::string_view name) {
  for (const JsonView& entry : list.items())
    if (required(entry, "name").text() == name) return required(entry, "value");
  return std::nullopt;
}

Environment device_of(const JsonView& device, const ImportOptions& options) {
  Environment environment;
  environment.device_kind = "cuda";
  environment.device_model = required(device, "name").text();
  environment.device_class = options.device.empty() ? environment.device_model : options.device;
  for (const auto& [key, name] : {std::pair{"number_of_sms", "device_units"},
                                  {"global_memory_size", "device_memory_bytes"},
                                  {"l2_cache_size", "device_l2_bytes"},
                                  {"sm_default_clock_rate", "sm_clock_max_hz"}})
    if (const auto found = device.find(key))
      if (const auto expected = environment_field(name)->read(text_of(*found), environment);
          !expected.empty())
        found->fail(expected);
  if (const auto ecc = device.find("ecc_state")) environment.ecc = ecc->boolean();
  return environment;
}

Value axis_value(const std::string& text) {
  std::int64_t integer;
  if (parse_integer(text, integer)) return integer;
  double number;
  if (parse_number(text, number)) return number;
  return text;
}

struct NvbenchFile {
  std::string path, suite, backend;
  std::map<std::int64_t, Environment> devices;
  std::map<std::string, std::size_t> left_out;  // summaries, counted by tag
  std::size_t states_with_times = 0, states_with_samples = 0;
  std::string absent;  // why samples are missing, for the first state that lacks them
  std::map<std::string, std::size_t> means;  // left out, because samples are beside them
};

double value_of(const JsonView& summary) {
  const auto value = named_value(required(summary, "data"), "value");
  if (!value) summary.fail("data with the name 'value'");
  const double number = number_of(*value);
  if (const std::string_view expected = sample_mistake(number, "s"); !expected.empty())
    value->fail(expected);
  return number;
}

/// Replaces the mean of a time by its samples, if there are any.
void read_samples(const JsonView& summary, NvbenchFile& file, const std::string& place,
                  ForeignMetric& metric) {
  const JsonView data = required(summary, "data");
  const auto written = named_value(data, "filename"), count = named_value(data, "size");
  NvbenchSidecar sidecar{file.path, written ? written->text() : "", 0, metric.samples.front(),
                         place};
  if (written && (!count || !parse_integer(text_of(*count), sidecar.count)))
    (count ? *count : summary).fail("the number of samples, 'size'");
  NvbenchSamples samples = nvbench_samples(sidecar);
  if (samples.times_s.empty()) {
    if (file.absent.empty()) file.absent = samples.absent;
    return;
  }
  metric.samples = std::move(samples.times_s);
  ++file.states_with_samples;
}

/// A case is judged by its worst metric, so a mean would hide what the samples beside it show.
void leave_out_means(std::vector<ForeignMetric>& metrics, NvbenchFile& file) {
  const auto has_samples = [](const ForeignMetric& metric) { return metric.samples.size() > 1; };
  if (std::ranges::none_of(metrics, has_samples)) return;
  std::erase_if(metrics, [&](const ForeignMetric& metric) {
    if (has_samples(metric)) return false;
    ++file.means[metric.name];
    return true;
  });
}

void read_summaries(const JsonView& state, NvbenchFile& file, ForeignResult& result) {
  const auto list = state.find("summaries");
  std::map<std::string, JsonView> summaries;
  if (list)
    for (const JsonView& summary : list->items())
      if (!summaries.emplace(required(summary, "tag").text(), summary).second)
        required(summary, "tag").fail("each tag once in a state");
  const auto take = [&](std::string_view tag) {
    return tag.empty() ? decltype(summaries)::node_type() : summaries.extract(std::string(tag));
  };
  for (const NvbenchTime& time : kTimes) {
    const auto mean = take(time.mean);
    if (mean.empty()) continue;
    ForeignMetric& metric = result.metrics.emplace_back(
        ForeignMetric{std::string(time.name), "s", {value_of(mean.mapped())}, ""});
    if (time.mean == kTimes[0].mean)
      if (const auto bandwidth = take(kBandwidth); !bandwidth.empty())
        result.bytes = value_of(bandwidth.mapped()) * metric.samples.front();
    if (const auto samples = take(time.samples); !samples.empty())
      read_samples(samples.mapped(), file, result.place, metric);
  }
  if (!result.metrics.empty()) ++file.states_with_times;
  leave_out_means(result.metrics, file);
  for (const auto& [tag, summary] : summaries) ++file.left_out[tag];
}

void read_state(const JsonView& state, const std::string& op, NvbenchFile& file,
                ForeignRuns& runs) {
  ForeignResult result;
  result.suite = file.suite;
  result.op = op;
  result.backend = file.backend;
  Params params;
  if (const auto axes = state.find("axis_values"))
    for (const JsonView& axis : axes->items())
      params[required(axis, "name").text()] = axis_value(text_of(required(axis, "value")));
  result.case_id = case_id(op, result.backend, params);
  result.place = file.path + ": case " + result.case_id;
  const auto skipped = state.find("is_skipped");
  if (skipped && skipped->boolean()) {
    const auto reason = state.find("skip_reason");
    result.status = Status::unsupported;
    result.reason = "NVBench skipped it: " + (reason ? reason->text() : "no reason given");
  } else {
    read_summaries(state, file, result);
    if (result.metrics.empty())
      result.metrics.push_back({"", "", {}, "NVBench reports none of the times that are read"});
  }
  const JsonView device = required(state, "device");
  const auto found = file.devices.find(device.integer());
  if (found == file.devices.end()) device.fail("the id of one of 'devices'");
  runs.add(found->second, std::move(result));
}

void read_file(const JsonView& root, const ImportOptions& options, NvbenchFile& file,
               ForeignRuns& runs) {
  std::string program = std::filesystem::path(file.path).stem().string();
  if (const auto meta = root.find("meta"))
    if (const auto argv = meta->find("argv"); argv && !argv->items().empty())
      program = std::filesystem::path(argv->items().front().text()).filename().string();
  file.suite = program;
  file.backend = options.backend.empty() ? program : options.backend;
  for (const JsonView& device : required(root, "devices").items())
    file.devices[required(device, "id").integer()] = device_of(device, options);
  const std::vector<JsonView> benchmarks = required(root, "benchmarks").items();
  std::size_t states = 0;
  for (const JsonView& benchmark : benchmarks) {
    const std::string op = required(benchmark, "name").text();
    const auto list = benchmark.find("states");
    for (const JsonView& state : list ? list->items() : std::vector<JsonView>{}) {
      read_state(state, op, file, runs);
      ++states;
    }
  }
  if (states == 0) root.fail("at least one state of a benchmark");
}

/// "a (1), b (2)".
std::string counts(const std::map<std::string, std::size_t>& named) {
  std::string text;
  for (const auto& [name, count] : named)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name, count);
  return text;
}

/// What a reader must know about states that have no samples; "" if all have them.
std::string note_on_samples(const NvbenchFile& file) {
  if (file.states_with_samples == file.states_with_times) return "";
  if (file.absent.empty() && file.states_with_samples == 0)
    return "its times are means, one value each; NVBench writes samples with --jsonbin";
  return fmt::format("{} of {} cases have no samples, and their times are means, one value each{}",
                     file.states_with_times - file.states_with_samples, file.states_with_times,
                     file.absent.empty() ? "" : ": " + file.absent);
}

}  // namespace

Imported import_nvbench(const std::vector<std::string>& paths, const ImportOptions& options) {
  ForeignRuns runs(files_of_processes(paths), Repeats::visits);
  Imported imported;
  for (const std::string& path : paths) {
    const ParsedJson json = read_json(path);
    NvbenchFile file;
    file.path = path;
    read_file(JsonView(json, path), options, file, runs);
    if (!file.left_out.empty())
      imported.notes.push_back(path + ": summaries that are left out: " + counts(file.left_out));
    if (!file.means.empty())
      imported.notes.push_back(
          path + ": means that are left out, since samples are beside them: " + counts(file.means));
    if (const std::string note = note_on_samples(file); !note.empty())
      imported.notes.push_back(path + ": " + note);
  }
  imported.runs = runs.take();
  return imported;
}

}  // namespace plumbline
