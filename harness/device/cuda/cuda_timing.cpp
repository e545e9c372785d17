// How launches are timed: holds, events, traces, the host's clock.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <numeric>

#include "core/value.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/held_stream.h"
#include "device/cuda/kernels_of_launch.h"

namespace plumbline::cuda {
namespace {

/// Releases a stream whose host got stuck; far longer than any enqueue of kHeldLaunchesMax
/// launches.
constexpr std::uint64_t kWatchdogNs = 250'000'000;
constexpr std::uint64_t kProbeWatchdogNs = 20'000'000;
/// Until the streams of all ranks are held.
constexpr double kPatience_s = 0.1;

/// A timed window, in which memory is expected at the places of an earlier launch.
class Window {
 public:
  explicit Window(std::atomic<bool>& flag) : flag_(flag) { flag_ = true; }
  ~Window() { flag_ = false; }

 private:
  std::atomic<bool>& flag_;
};

std::string suffix(CacheState cache) {
  switch (cache) {
    case CacheState::cold:
      return "_cold";
    case CacheState::cold_write:
      return "_cold_write";
    case CacheState::hot:
      return "_hot";
  }
  return "";
}

CacheState cache_named(const std::string& name) {
  if (name == "cold") return CacheState::cold;
  return name == "cold_write" ? CacheState::cold_write : CacheState::hot;
}

/// The skew of each sample, and by rank the median time after the first rank's start.
void add_starts(const std::vector<std::vector<double>>& starts_s, CacheState cache,
                BlockReading& reading) {
  MetricSamples skew{"rank_skew" + suffix(cache), {}};
  std::map<std::string, std::vector<double>> by_rank;
  for (const std::vector<double>& sample : starts_s) {
    skew.samples.push_back(std::ranges::max(sample));
    for (std::size_t rank = 0; rank < sample.size(); ++rank)
      by_rank[std::string(kRankStart) + std::to_string(rank)].push_back(sample[rank]);
  }
  for (auto& [name, seconds] : by_rank) reading.timers_s[name] = median_of(std::move(seconds));
  reading.beside.push_back(std::move(skew));
}

void call(const std::function<void(int)>& around, int sample) {
  if (around) around(sample);
}

bool holds(const std::vector<std::string>& list, const char* name) {
  return std::ranges::find(list, name) != list.end();
}

}  // namespace

TimeMetrics CudaDevice::time_metrics(const Policy& policy, bool is_holdable) const {
  constexpr const char* kWaits =
      "a launch waits for the device or is of more kernels than its queue takes, and would wait "
      "for ever behind a held stream; it has wall_time";
  TimeMetrics found;
  const auto add = [&](const std::string& name, CacheState cache, Timer timer,
                       const std::string& missing) {
    if (missing.empty())
      found.metrics.push_back({name, cache, timer});
    else
      found.absent[name] = missing;
  };
  const bool is_trace = profile_ == Profile::trace;
  const std::string no_events = is_holdable ? "" : kWaits;
  const std::string no_trace =
      has_ranks() ? "a launch is kernels of several GPUs, which wait for one another" : no_tracer_;
  for (const std::string& name : policy.cache) {
    const CacheState cache = cache_named(name);
    if (is_trace && holds(policy.metrics, "kernel_time"))
      add("kernel_time" + suffix(cache), cache, Timer::trace, no_trace);
    if (!is_trace && holds(policy.metrics, "gpu_time"))
      add("gpu_time" + suffix(cache), cache, Timer::events, no_events);
  }
  if (is_trace) return found;
  if (holds(policy.metrics, "host_time") && !is_holdable) found.absent["host_time"] = kWaits;
  const bool has_hot = std::ranges::any_of(
      found.metrics, [](const TimeMetric& m) { return m.cache == CacheState::hot; });
  if (holds(policy.metrics, "host_time") && is_holdable && !has_hot)
    found.metrics.push_back({"gpu_time_hot", CacheState::hot, Timer::events});
  if (!is_holdable) found.metrics.push_back({"wall_time", CacheState::hot, Timer::host_clock});
  return found;
}

void CudaDevice::evict(CacheState cache) {
  if (cache == CacheState::cold_write)
    launch_write(evict_buffer_, evict_bytes_, stream_);
  else
    launch_evict(evict_buffer_, evict_bytes_, hold_, stream_);
  if (has_ranks()) ranks_->evict(cache, hold_);
}

void CudaDevice::make_cold(const BlockPlan& plan) {
  if (plan.cache != CacheState::hot) evict(plan.cache);
  if (plan.rest_s > 0) launch_rest(std::uint64_t(plan.rest_s * 1e9), stream_);
}

/// While a launch runs, the GPU's front end fetches what is queued behind it, and a pair of events
/// also reads that: up to 2 us, in a pattern that differs between processes. Therefore each cold
/// launch is held and timed separately. So is each launch of several ranks: they begin together
/// when they are released.
bool CudaDevice::is_alone(const BlockPlan& plan) const {
  return plan.cache != CacheState::hot || !plan.is_back_to_back || has_ranks();
}

/// Otherwise an implementation that set this would keep its data in the cache through any eviction.
void CudaDevice::refuse_persistence() {
  std::size_t limit = 0;
  check(cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize), "cudaDeviceGetLimit");
  if (limit > 0) check(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0), "cudaDeviceSetLimit");
  check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
}

void CudaDevice::hold(std::uint64_t watchdog_ns) {
  hold_->released = 0;
  hold_->expired = 0;
  if (has_ranks())
    ranks_->hold(hold_, watchdog_ns);
  else
    launch_hold(hold_, watchdog_ns, stream_);
}

bool CudaDevice::release_hold(double rest_s) {
  if (has_ranks() && !ranks_->wait_until_held(kPatience_s + rest_s)) hold_->expired = 1;
  const bool was_in_time = hold_->expired == 0;
  hold_->released = 1;
  return was_in_time;
}

bool CudaDevice::can_be_held(const Launch& launch) {
  launches_per_hold_ = kHeldLaunchesMax;
  synchronize();
  hold(kProbeWatchdogNs);
  const HoldGuard guard(hold_);
  const int launches = has_ranks() ? 2 : 1;  // a second launch of one graph may wait for the first
  for (int i = 0; i < launches; ++i) {
    begin_launch();
    launch();
  }
  const bool returned_before_release = release_hold();
  synchronize();
  return returned_before_release && hold_->expired == 0;
}

void CudaDevice::run_batch(const Launch& launch, int batch) {
  const Window window(is_timing_);
  for (int k = 0; k < batch; ++k) {
    begin_launch();
    launch();
  }
}

void CudaDevice::enqueue_sample(const Launch& launch, const BlockPlan& plan, int i, bool is_traced,
                                Held& held) {
  if (!has_ranks()) make_cold(plan);
  if (is_traced) tracer_->start();
  if (plan.timer == Timer::trace) launch_mark(stream_);
  check(cudaEventRecord(events_[i].start, stream_), "cudaEventRecord");
  if (has_ranks()) ranks_->start();
  const double begin_s = now_s();
  run_batch(launch, plan.batch);
  held.enqueue_s.push_back(now_s() - begin_s);
  check(cudaEventRecord(events_[i].stop, stream_), "cudaEventRecord");
  if (has_ranks()) ranks_->stop();
  if (is_traced) tracer_->stop();
}

int CudaDevice::samples_per_hold(const BlockPlan& plan) const {
  if (is_alone(plan)) return 1;
  return std::clamp(launches_per_hold_ / plan.batch, 1, int(events_.size()));
}

/// The queue was full or the host slow, so readings include the host's time. Halves the launches
/// per hold; after one launch, removes the warm-up launch. False if no further reduction is
/// possible.
bool CudaDevice::hold_fewer(const BlockPlan& plan, int samples) {
  if (is_alone(plan) || launches_per_hold_ == 0) return false;
  launches_per_hold_ = samples / 2 * plan.batch;
  return true;
}

/// `first`: the number of the first sample in its block.
CudaDevice::Held CudaDevice::time_held(const Launch& launch, const BlockPlan& plan, int samples,
                                       int first) {
  if (!is_alone(plan)) return time_behind_hold(launch, plan, samples, first);
  call(plan.around.before, first);
  if (plan.cache != CacheState::hot) refuse_persistence();
  Held held = time_behind_hold(launch, plan, samples, first);
  call(plan.around.after, first);
  return held;
}

/// Timer::trace: two of three samples are traced. The others show how tracing affects events.
bool CudaDevice::is_traced_sample(int number) const { return (traced_blocks_ + number) % 3 != 0; }

int CudaDevice::traced_samples(int samples) const {
  int traced = 0;
  for (int i = 0; i < samples; ++i) traced += is_traced_sample(i) ? 1 : 0;
  return traced;
}

CudaDevice::Held CudaDevice::time_behind_hold(const Launch& launch, const BlockPlan& plan,
                                              int samples, int first) {
  Held held;
  // The first sample must not be colder or warmer than the others.
  const int before = is_alone(plan) ? 0 : 1;
  if (launches_per_hold_ == 0) run_batch(launch, before);
  if (has_ranks()) make_cold(plan);  // between release and launch, ranks would take different times
  if (plan.is_held) hold(kWatchdogNs);
  const HoldGuard guard(hold_);
  launch_clock_reading(&clocks_[0], stream_);
  if (launches_per_hold_ > 0) run_batch(launch, before);
  for (int i = 0; i < samples; ++i) {
    const bool is_traced = plan.timer == Timer::trace && is_traced_sample(first + i);
    if (!is_alone(plan)) call(plan.around.before, first + i);
    enqueue_sample(launch, plan, i, is_traced, held);
    if (!is_alone(plan)) call(plan.around.after, first + i);
  }
  launch_clock_reading(&clocks_[1], stream_);
  if (plan.is_held) held.is_expired = !release_hold(plan.rest_s);
  synchronize();
  if (plan.is_held && hold_->expired != 0) held.is_expired = true;  // ranks meet after the release
  for (int i = 0; i < samples; ++i) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, events_[i].start, events_[i].stop),
          "cudaEventElapsedTime");
    held.by_events_s.push_back(milliseconds * 1e-3);
  }
  if (has_ranks()) {  // one sample
    held.by_events_s.back() = std::max(held.by_events_s.back(), ranks_->longest_s());
    held.starts_s.push_back(ranks_->starts_s(clocks_[0]));
  }
  return held;
}

/// The clock of the multiprocessor that ran both readings, over all holds of a block.
void CudaDevice::add_clock(BlockReading& reading) {
  const ClockReading& a = clocks_[0];
  const ClockReading& b = clocks_[1];
  if (a.multiprocessor == b.multiprocessor && b.nanoseconds > a.nanoseconds) {
    clock_cycles_ += double(b.cycles - a.cycles);
    clock_ns_ += double(b.nanoseconds - a.nanoseconds);
  }
  reading.clock_hz = clock_ns_ > 0 ? clock_cycles_ / clock_ns_ * 1e9 : 0;
}

BlockReading CudaDevice::time_block(const Launch& launch, const BlockPlan& plan) {
  has_allocated_ = false;
  clock_cycles_ = clock_ns_ = 0;
  BlockReading reading = plan.timer == Timer::host_clock ? time_by_host(launch, plan)
                         : plan.timer == Timer::trace    ? time_by_trace(launch, plan)
                                                         : time_by_events(launch, plan);
  reading.has_allocated = has_allocated_;
  return reading;
}

BlockReading CudaDevice::time_by_events(const Launch& launch, const BlockPlan& plan) {
  BlockReading reading;
  MetricSamples host{"host_time", {}};
  std::vector<std::vector<double>> starts_s;
  for (int done = 0; done < plan.samples;) {
    const int samples = std::min(samples_per_hold(plan), plan.samples - done);
    const Held held = time_held(launch, plan, samples, done);
    add_clock(reading);
    if (held.is_expired && hold_fewer(plan, samples)) continue;
    reading.hold_expired = reading.hold_expired || held.is_expired;
    for (int i = 0; i < samples; ++i) {
      reading.samples_s.push_back((held.by_events_s[i] - floor_.floor.seconds) / plan.batch);
      reading.spent_s += held.by_events_s[i];
      host.samples.push_back(held.enqueue_s[i] / plan.batch);
    }
    std::ranges::copy(held.starts_s, std::back_inserter(starts_s));
    done += samples;
  }
  if (plan.cache == CacheState::hot) reading.beside.push_back(std::move(host));
  if (has_ranks() && plan.is_held) add_starts(starts_s, plan.cache, reading);
  return reading;
}

BlockReading CudaDevice::time_by_host(const Launch& launch, const BlockPlan& plan) {
  BlockReading reading;
  for (int i = 0; i < plan.samples; ++i) {
    call(plan.around.before, i);
    synchronize();
    const double start = now_s();
    run_batch(launch, plan.batch);
    synchronize();
    const double elapsed = now_s() - start;
    reading.samples_s.push_back(elapsed / plan.batch);
    reading.spent_s += elapsed;
    call(plan.around.after, i);
  }
  return reading;
}

BlockReading CudaDevice::time_by_trace(const Launch& launch, const BlockPlan& plan) {
  BlockReading reading;
  MetricSamples span{"kernel_span" + suffix(plan.cache), {}};
  std::vector<double> traced_s;
  std::vector<double> untraced_s;
  const int wanted = std::max(2, plan.samples);
  for (int done = 0; done < wanted;) {
    const int samples = std::min(samples_per_hold(plan), wanted - done);
    const Held held = time_held(launch, plan, samples, done);
    add_clock(reading);
    if (held.is_expired && hold_fewer(plan, samples)) {
      tracer_->take(kMarkName);
      traced_s.clear();
      untraced_s.clear();
      done = 0;
      continue;
    }
    reading.hold_expired = reading.hold_expired || held.is_expired;
    for (int i = 0; i < samples; ++i) {
      (is_traced_sample(done + i) ? traced_s : untraced_s)
          .push_back((held.by_events_s[i] - floor_.floor.seconds) / plan.batch);
      reading.spent_s += held.by_events_s[i];
    }
    done += samples;
  }
  const auto expected = std::size_t(traced_samples(wanted));
  reading.failure = add_launches(tracer_->take(kMarkName), expected, plan.batch, reading.samples_s,
                                 span.samples, reading.kernels, code_of());
  if (!reading.failure.empty()) return reading;
  ++traced_blocks_;
  if (plan.is_held && !traced_s.empty() && !untraced_s.empty()) {
    reading.timers_s["event_traced"] = median_of(traced_s);
    reading.timers_s["event_untraced"] = median_of(untraced_s);
  }
  reading.timers_s["span"] = median_of(span.samples);
  reading.beside.push_back(std::move(span));
  return reading;
}

std::map<std::string, double> CudaDevice::sentinel() {
  constexpr std::int64_t kSpinCycles = 200'000;  // about 0.1 ms at a high clock
  const BlockPlan plan{.cache = CacheState::cold, .timer = Timer::events, .samples = 20};
  launches_per_hold_ = kHeldLaunchesMax;
  const BlockReading spin = time_block([this] { launch_spin(kSpinCycles, stream_); }, plan);
  const BlockReading read = time_block([this] { evict(CacheState::cold); }, plan);
  const DeviceState now = state();
  std::map<std::string, double> values{{"spin_s", median_of(spin.samples_s)},
                                       {"read_s", median_of(read.samples_s)},
                                       {"clock_hz", spin.clock_hz}};
  if (!std::isnan(now.temperature_c)) values["temperature_c"] = now.temperature_c;
  if (!std::isnan(now.power_w)) values["power_w"] = now.power_w;
  return values;
}

}  // namespace plumbline::cuda
