#include "core/op/stream_setup.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string_view>

namespace plumbline {
namespace {

constexpr std::array<std::string_view, 3> kOverlapNames{"none", "copy_pinned", "copy_pageable"};
constexpr std::array<std::string_view, 3> kDependencyNames{"independent", "chain", "diamond"};
/// With fewer than two sides, a diamond is a chain.
constexpr int kDiamondMin = 4;

std::vector<std::string> texts(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

ParamSpec integer(const char* name, int fallback, double maximum, const char* doc) {
  return {name, ParamKind::integer, std::int64_t{fallback}, 1, {}, doc, maximum};
}

ParamSpec boolean(const char* name, const char* doc) {
  return {name, ParamKind::boolean, false, std::nullopt, {}, doc};
}

ParamSpec text(const char* name, std::vector<std::string> allowed, const char* doc) {
  return {name, ParamKind::text, allowed.front(), std::nullopt, allowed, doc};
}

const Value& value_of(const Params& params, std::string_view name) {
  if (const auto found = params.find(name); found != params.end()) return found->second;
  return *std::ranges::find(stream_params(), name, &ParamSpec::name)->fallback;
}

int integer_of(const Params& params, std::string_view name) {
  return int(std::get<std::int64_t>(value_of(params, name)));
}

bool flag_of(const Params& params, std::string_view name) {
  return std::get<bool>(value_of(params, name));
}

/// Index of a text parameter among its names.
template <class Enum>
Enum choice_of(const Params& params, std::string_view name,
               std::span<const std::string_view> names) {
  const auto& text = std::get<std::string>(value_of(params, name));
  return static_cast<Enum>(std::ranges::find(names, text) - names.begin());
}

}  // namespace

const std::vector<ParamSpec>& stream_params() {
  static const std::vector<ParamSpec> kStreamParams{
      integer("stream.count", 1, kStreamsMax,
              "instances, each with inputs and outputs of its own on a stream of its own"),
      text("stream.priority", {"normal", "low", "high", "0", "-1", "-2", "-3", "-4", "-5"},
           "scheduling priority of the streams: the device's lowest, CUDA's default (0), its "
           "highest, or one of CUDA's numbers, as far as the device has them"),
      boolean("stream.blocking",
              "true: the first instance on the legacy default stream, the others on streams that "
              "synchronise with it"),
      boolean("stream.graph", "captured once as a CUDA graph from fork to join, and replayed"),
      {"stream.background",
       ParamKind::number,
       0.0,
       0,
       {},
       "share of the multiprocessors that a background load occupies; 1 is a backlog of short "
       "blocks for all of them, which launches of high priority overtake",
       1},
      text("stream.overlap", texts(kOverlapNames),
           "copies of the inputs to the device before the launch, and of its results to the host "
           "after it, in the instance's stream"),
      integer("stream.connections", kDefaultConnections, 32,
              "hardware queues that the streams share: CUDA_DEVICE_MAX_CONNECTIONS"),
      text("stream.dependencies", texts(kDependencyNames), "which instances wait for which"),
  };
  return kStreamParams;
}

StreamSetup stream_setup(const Params& params) {
  StreamSetup setup;
  setup.count = integer_of(params, "stream.count");
  setup.priority = std::get<std::string>(value_of(params, "stream.priority"));
  setup.is_blocking = flag_of(params, "stream.blocking");
  setup.is_graph = flag_of(params, "stream.graph");
  const Value& background = value_of(params, "stream.background");
  setup.background = std::holds_alternative<double>(background)
                         ? std::get<double>(background)
                         : double(std::get<std::int64_t>(background));
  setup.overlap = choice_of<Overlap>(params, "stream.overlap", kOverlapNames);
  setup.connections = integer_of(params, "stream.connections");
  setup.dependencies = choice_of<Dependencies>(params, "stream.dependencies", kDependencyNames);
  return setup;
}

std::string stream_axis_of(const Params& params) {
  constexpr std::string_view kGroup = "stream.";
  const auto first = params.lower_bound(kGroup);
  if (first == params.end() || !first->first.starts_with(kGroup)) return "";
  for (const ParamSpec& spec : stream_params())
    if (const auto found = params.find(spec.name);
        found != params.end() && !same_value(found->second, *spec.fallback))
      return spec.name + '=' + to_text(found->second);
  return "";
}

int stream_connections(const Params& params) { return integer_of(params, "stream.connections"); }

std::string unmeasurable_stream(const Params& params) {
  if (stream_axis_of(params).empty()) return "";  // early exit: most cases of a sweep are plain
  const StreamSetup setup = stream_setup(params);
  if (setup.dependencies == Dependencies::diamond && setup.count < kDiamondMin)
    return "stream.dependencies=diamond needs stream.count=" + std::to_string(kDiamondMin) +
           " or more: a first, two sides, a last";
  if (setup.dependencies == Dependencies::chain && setup.count < 2)
    return "stream.dependencies=chain needs stream.count=2 or more";
  if (setup.is_blocking && setup.priority != "normal")
    return "stream.blocking=true needs stream.priority=normal, the only priority of the legacy "
           "default stream";
  if (setup.is_blocking && setup.is_graph)
    return "stream.blocking=true cannot be captured: CUDA refuses the legacy default stream";
  if (setup.is_graph && setup.overlap != Overlap::none)
    return "stream.graph=true is measured with stream.overlap=none: copies are timed outside "
           "graphs";
  if (setup.background > 0 && setup.overlap == Overlap::copy_pageable)
    return "stream.overlap=copy_pageable waits for the host, so it cannot run with a background "
           "load";
  return "";
}

std::vector<int> instances_before(const StreamSetup& setup, int i) {
  if (i == 0 || setup.dependencies == Dependencies::independent) return {};
  if (setup.dependencies == Dependencies::chain) return {i - 1};
  if (i < setup.count - 1) return {0};
  std::vector<int> sides(std::size_t(setup.count) - 2);
  std::iota(sides.begin(), sides.end(), 1);
  return sides;
}

}  // namespace plumbline
