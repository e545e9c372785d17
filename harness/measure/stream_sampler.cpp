#include "measure/stream_sampler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

#include "measure/blocks.h"
#include "measure/doubts.h"
#include "measure/overlap.h"
#include "measure/placements.h"
#include "measure/sensors.h"
#include "measure/stopping_rule.h"
#include "measure/warm_up.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

/// The most launches of all instances behind one hold: the queues take about 1,000 entries, and an
/// op may be several kernels.
constexpr int kHeldLaunchesMax = 256;

/// A metric of the visit and its value in one sample: for stream_latency one value per stream.
struct Column {
  std::string metric;
  std::function<std::vector<double>(const StreamSample&)> values;
};

double span_of(const StreamSample& sample) { return overlap_of(sample.activities).span_s; }

/// The precision of the first column ends the visit.
std::vector<Column> columns_of(const StreamSetup& setup, bool is_traced) {
  using Values = std::vector<double>;
  if (is_traced)
    return {{"kernel_span_hot", [](const StreamSample& s) { return Values{span_of(s)}; }}};
  std::vector<Column> columns{
      {"makespan", [](const StreamSample& s) { return Values{s.makespan_s}; }}};
  if (!setup.is_graph)
    columns.push_back({"stream_latency", [](const StreamSample& s) { return s.latencies_s; }});
  const double count = setup.count;
  if (setup.count > 1) {
    columns.push_back({"speedup", [count](const StreamSample& s) {
                         return Values{count * s.alone_s / s.makespan_s};
                       }});
    columns.push_back({"stream_efficiency",
                       [](const StreamSample& s) { return Values{s.alone_s / s.makespan_s}; }});
  }
  if (setup.background > 0)
    columns.push_back({"background_slowdown",
                       [](const StreamSample& s) { return Values{s.makespan_s / s.quiet_s}; }});
  return columns;
}

/// Medians over the visit of the values beside the first column: seconds by name, and the overlap.
std::map<std::string, double> timers_of(const std::vector<StreamSample>& samples) {
  std::map<std::string, std::vector<double>> read;
  for (const StreamSample& sample : samples) {
    read["alone"].push_back(sample.alone_s);
    read["quiet"].push_back(sample.quiet_s);
    if (sample.activities.empty()) continue;
    const BusyTimes busy = overlap_of(sample.activities);
    read["overlap"].push_back(busy.factor());
    read["busy"].push_back(busy.union_s);
  }
  std::map<std::string, double> timers;
  for (auto& [name, values] : read) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (!values.empty()) timers[name] = median(values);
  }
  return timers;
}

/// The sampling of one visit of a case with streams: blocks of fork-joins, which give all metrics,
/// until the first metric is precise enough.
class StreamSampling {
 public:
  StreamSampling(Device& device, StreamDevice& streams, const StreamSetup& setup,
                 const PlaceInstances& place, const Policy& policy)
      : device_(device),
        streams_(streams),
        setup_(setup),
        place_(place),
        policy_(policy),
        rule_(policy),
        begin_s_(device.now_s()),
        columns_(columns_of(setup, streams.is_traced())),
        sensors_(device) {
    for (const Column& column : columns_) results_.emplace_back().metric = column.metric;
  }

  VisitSamples run() {
    place_at(0);
    plan_ = warmed_up_plan();
    for (std::int64_t block = 0; failure_.empty() && !rule_.is_finished(); ++block) {
      const std::int64_t placement = placement_of(block, policy_);
      if (block > 0) place_at(placement);
      take_block(placement);
      if (sensors_.are_due()) read_sensors();
    }
    read_sensors();
    return finished();
  }

 private:
  /// The first launches are outside any hold: they load code and make handles, which waits for the
  /// device.
  void place_at(std::int64_t placement) {
    launch_ = place_(placement);
    streams_.run(launch_, std::vector<bool>(std::size_t(setup_.count)), 0);
    streams_.synchronize();
    if (setup_.count == 1) return;
    for (int i = 0; i < setup_.count; ++i) launch_(i, 0);
    streams_.synchronize();
  }

  StreamReading time_block(const StreamPlan& plan) {
    const double from_s = device_.now_s();
    StreamReading reading = streams_.time_block(launch_, plan);
    launching_s_ += device_.now_s() - from_s;
    return reading;
  }

  /// The shortest sample of the warm-up decides the batch size: others may have been disturbed.
  StreamPlan warmed_up_plan() {
    const StreamPlan one{.samples = 1, .batch = 1};
    double makespan_s = std::numeric_limits<double>::infinity();
    double spent_s = std::numeric_limits<double>::infinity();
    for (WarmUp rule(device_, policy_); !rule.is_over();) {
      const StreamReading reading = time_block(one);
      if (reading.samples.empty()) break;  // the first block reports the reason
      rule.add_launch(reading.clock_hz);
      makespan_s = std::min(makespan_s, reading.samples.front().makespan_s);
      spent_s = std::min(spent_s, reading.spent_s);
    }
    StreamPlan plan = one;
    if (!streams_.is_traced())
      plan.batch = batch_for(makespan_s, std::max(1, kHeldLaunchesMax / setup_.count));
    const double fit = samples_that_fit(spent_s * plan.batch, policy_);
    plan.samples = int(std::clamp(fit, 1.0, double(policy_.samples)));
    return plan;
  }

  void take_block(std::int64_t placement) {
    const double since_s = device_.now_s() - begin_s_;
    const StreamReading reading = time_block(plan_);
    failure_ = failure_of(reading.samples, reading.failure);
    if (!failure_.empty()) return;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::vector<double> values;
      for (const StreamSample& sample : reading.samples)
        std::ranges::copy(columns_[i].values(sample), std::back_inserter(values));
      add_block(results_[i], values, since_s, placement, reading);
    }
    if (!device_.overrun().empty())
      for (MeasuredMetric& result : results_) result.add_flag(kFlagGuardTouched);
    std::ranges::copy(reading.samples, std::back_inserter(samples_));
    if (kernels_.empty()) kernels_ = reading.kernels;
    const std::size_t last = results_.front().samples.blocks() - 1;
    const auto values = results_.front().samples.block(last);
    rule_.add_block(median(values), reading.spent_s);
  }

  void read_sensors() {
    const DeviceState& state = sensors_.read();
    for (MeasuredMetric& result : results_) judge_blocks(result, state);
  }

  /// For metrics derived from the first one: their noise is flagged there, wrong values here.
  static void flag_values(MeasuredMetric& result) {
    constexpr std::array<std::string_view, 3> kOfValues{kFlagNotFinite, kFlagBelowTimer,
                                                        kFlagSetAside};
    for (const std::string& doubt : doubts_about(result, {}))
      if (std::ranges::find(kOfValues, doubt) != kOfValues.end()) result.add_flag(doubt);
  }

  VisitSamples finished() {
    VisitSamples visit;
    visit.state = sensors_.last();
    visit.launching_s = launching_s_;
    visit.kernels = kernels_;
    if (setup_.is_graph && !streams_.is_traced())
      visit.absent["stream_latency"] =
          "no event is seen inside a graph that is replayed as a whole";
    if (!failure_.empty()) {
      for (const Column& column : columns_) visit.absent[column.metric] = failure_;
      return visit;
    }
    MeasuredMetric& first = results_.front();
    const TimerFloor floor = streams_.is_traced() ? TimerFloor{} : streams_.fork_join_floor();
    first.floor_s = floor.seconds;
    first.timers_s = timers_of(samples_);
    flag_doubts(first, floor);
    for (MeasuredMetric& result : std::span(results_).subspan(1)) flag_values(result);
    if (rule_.is_imprecise()) first.add_flag(kFlagImprecise);
    for (MeasuredMetric& result : results_) {
      result.batch = plan_.batch;
      visit.measurements.push_back(std::move(result));
    }
    return visit;
  }

  Device& device_;
  StreamDevice& streams_;
  const StreamSetup& setup_;
  const PlaceInstances& place_;
  const Policy& policy_;
  StoppingRule rule_;
  const double begin_s_;
  std::vector<Column> columns_;
  std::vector<MeasuredMetric> results_;  // by column
  std::vector<StreamSample> samples_;
  std::string kernels_;  // JSON, of the first fork-join that reports them
  StreamLaunch launch_;
  StreamPlan plan_;
  Sensors sensors_;
  double launching_s_ = 0;
  std::string failure_;
};

}  // namespace

VisitSamples sample_streams(Device& device, StreamDevice& streams, const StreamSetup& setup,
                            const PlaceInstances& place, const Policy& policy) {
  return StreamSampling(device, streams, setup, place, policy).run();
}

}  // namespace plumbline
