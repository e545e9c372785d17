// The extension module plumbline_gpu._engine: only bindings. The package's Python files evaluate
// the samples.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "python/engine/engine.h"
#include "stats/descriptive.h"
#include "stats/student_t.h"

namespace nb = nanobind;

namespace plumbline::python {
namespace {

CacheState cache_named(const std::string& name) {
  if (name == "cold") return CacheState::cold;
  if (name == "cold_write") return CacheState::cold_write;
  if (name == "hot") return CacheState::hot;
  throw nb::value_error(
      ("cache: '" + name + "' is unknown; allowed: 'cold', 'cold_write', 'hot'").c_str());
}

/// Calls a Python callable. Its exceptions pass through the measuring code, which releases the
/// stream, to the caller.
Launch launch_of(const nb::callable& function) {
  return [function] { function(); };
}

nb::dict reading_of(const BlockReading& reading) {
  nb::dict made;
  made["samples"] = reading.samples_s;
  nb::dict beside;
  for (const MetricSamples& series : reading.beside) beside[series.metric.c_str()] = series.samples;
  made["beside"] = beside;
  made["clock_hz"] = reading.clock_hz;
  made["hold_expired"] = reading.hold_expired;
  made["failure"] = reading.failure;
  return made;
}

nb::dict measured(const MeasuredMetric& metric) {
  nb::dict made;
  nb::list blocks;
  for (std::size_t i = 0; i < metric.samples.blocks(); ++i) {
    const auto block = metric.samples.block(i);
    blocks.append(nb::cast(std::vector<double>(block.begin(), block.end())));
  }
  made["metric"] = metric.metric;
  made["unit"] = metric.unit;
  made["batch"] = metric.batch;
  made["floor_s"] = metric.floor_s;
  made["blocks"] = blocks;
  made["clocks_hz"] = metric.block_clocks_hz;
  made["causes"] = metric.block_causes;
  made["flags"] = metric.flags;
  made["temperature_c"] = metric.temperature_c;
  made["power_w"] = metric.power_w;
  made["throttle"] = metric.throttle;
  return made;
}

/// `place(number)` prepares the arguments at a placement and returns the callable to launch.
nb::tuple visit(Engine& engine, const nb::callable& place, const std::string& cache,
                std::int64_t blocks_min, std::int64_t blocks_max, std::int64_t samples,
                double precision, double budget_s, double warmup_s, double rest) {
  cache_named(cache);
  Policy policy;
  policy.metrics = {"gpu_time"};
  policy.cache = {cache};
  policy.blocks_min = blocks_min;
  policy.blocks_max = blocks_max;
  policy.samples = samples;
  policy.precision = precision;
  policy.budget_s = budget_s;
  policy.warmup_s = warmup_s;
  policy.warmup_max_s = std::max(policy.warmup_max_s, warmup_s);
  policy.rest = rest;
  const VisitSamples made = engine.visit(
      [&place](std::int64_t number, std::uint64_t) {
        return launch_of(nb::cast<nb::callable>(place(number)));
      },
      policy);
  nb::list metrics;
  for (const MeasuredMetric& metric : made.measurements) metrics.append(measured(metric));
  return nb::make_tuple(metrics, nb::cast(made.absent));
}

nb::dict time_block(Engine& engine, const nb::callable& launch, const std::string& cache,
                    int samples, int batch, bool is_held) {
  if (samples < 1 || batch < 1) throw nb::value_error("samples and batch: 1 or more");
  const CacheState state = cache_named(cache);
  if (batch > 1 && state != CacheState::hot)
    throw nb::value_error("batch: cold launches are timed one by one");
  return reading_of(engine.time_block(launch_of(launch), {state, samples, batch, is_held}));
}

nb::dict device_of(const Engine& engine) {
  const Environment found = engine.environment();
  nb::dict made;
  made["name"] = engine.name();
  made["model"] = found.device_model;
  made["uuid"] = found.device_uuid();
  made["device_class"] = found.device_class;
  return made;
}

/// The facts of run.json about the device, with the same names. Unknown facts are omitted.
nb::dict environment_of(const Engine& engine) {
  const Environment found = engine.environment();
  nb::dict made;
  for (const EnvironmentField& field : environment_fields())
    if (const std::string text = field.text(found); !text.empty())
      made[std::string(field.name).c_str()] = text;
  return made;
}

/// Student's t interval of the mean, and its p value: (mean, low, high, p).
nb::tuple mean_interval(const std::vector<double>& values, double confidence) {
  if (values.size() < 2) throw nb::value_error("values: two or more");
  const double center = mean(values), df = double(values.size()) - 1;
  const double error = std::sqrt(variance(values) / double(values.size()));
  const double half = student_t_quantile(0.5 + confidence / 2, df) * error;
  const double p = error > 0 ? student_t_two_sided_p(center / error, df) : center == 0 ? 1.0 : 0.0;
  return nb::make_tuple(center, center - half, center + half, p);
}

}  // namespace

NB_MODULE(_engine, module) {
  const nb::exception<Error> error(module, "Error");
  nb::class_<Engine>(module, "Engine")
      .def(nb::init<const std::string&>(), nb::arg("device"))
      .def_prop_ro("name", &Engine::name)
      .def_prop_ro("is_cuda", &Engine::is_cuda)
      .def_prop_ro("stream", &Engine::stream)
      .def_prop_ro("device", &device_of)
      .def_prop_ro("environment", &environment_of)
      .def("visit", &visit, nb::arg("place"), nb::arg("cache"), nb::arg("blocks_min"),
           nb::arg("blocks_max"), nb::arg("samples"), nb::arg("precision"), nb::arg("budget_s"),
           nb::arg("warmup_s"), nb::arg("rest"))
      .def(
          "can_be_held",
          [](Engine& engine, const nb::callable& launch) {
            return engine.can_be_held(launch_of(launch));
          },
          nb::arg("launch"))
      .def("time_block", &time_block, nb::arg("launch"), nb::arg("cache") = "cold",
           nb::arg("samples") = 6, nb::arg("batch") = 1, nb::arg("is_held") = true)
      .def("synchronize", &Engine::synchronize);
  module.def("mean_interval", &mean_interval, nb::arg("values"), nb::arg("confidence"));
}

}  // namespace plumbline::python
