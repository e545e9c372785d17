#include "device/cuda/streams.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "device/cuda/held_stream.h"
#include "device/cuda/kernels_of_launch.h"

namespace plumbline::cuda {
namespace {

/// Releases streams whose host got stuck; far longer than any enqueue behind one hold.
constexpr std::uint64_t kWatchdogNs = 250'000'000;
constexpr int kFloorSamples = 41;
/// A load that ended too early is restarted, each time twice as long.
constexpr int kLoadAttempts = 6;

cudaEvent_t new_event(unsigned flags) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
  return event;
}

void record(cudaEvent_t event, cudaStream_t stream) {
  check(cudaEventRecord(event, stream), "cudaEventRecord");
}

void wait(cudaStream_t stream, cudaEvent_t event) {
  check(cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
}

double elapsed_s(cudaEvent_t from, cudaEvent_t to) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, from, to), "cudaEventElapsedTime");
  return milliseconds * 1e-3;
}

class Window {
 public:
  Window(StreamsSite& site, bool& has_allocated) : site_(site), has_allocated_(has_allocated) {
    site_.begin_window();
  }
  ~Window() { has_allocated_ = site_.end_window(); }

 private:
  StreamsSite& site_;
  bool& has_allocated_;
};

}  // namespace

int connections_of_process() {
  const char* const text = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  const int number = text != nullptr ? std::atoi(text) : 0;
  return number > 0 ? number : kDefaultConnections;
}

Streams::Streams(StreamsSite site) : site_(std::move(site)) {
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  check(cudaStreamCreateWithPriority(&hold_stream_, cudaStreamNonBlocking, greatest),
        "cudaStreamCreateWithPriority");
  fork_ = new_event(cudaEventDefault);
  join_ = new_event(cudaEventDefault);
  quick_fork_ = new_event(cudaEventDisableTiming);
  hold_ = mapped_memory<HoldState>(1);
  clocks_ = mapped_memory<ClockReading>(2);
}

Streams::~Streams() = default;  // the device lives as long as the process; the driver frees the
                                // rest

/// Sets streams_ and returns "", or why the device cannot.
std::string Streams::choose_streams(const StreamSetup& setup) {
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  const int priority = setup.priority == "low"      ? least
                       : setup.priority == "high"   ? greatest
                       : setup.priority == "normal" ? 0
                                                    : std::atoi(setup.priority.c_str());
  if (priority > least || priority < greatest)
    return "stream.priority=" + setup.priority + ": this device has " + std::to_string(least) +
           " (low) to " + std::to_string(greatest) + " (high)";
  const unsigned flags = setup.is_blocking ? cudaStreamDefault : cudaStreamNonBlocking;
  std::vector<cudaStream_t>& kept = kept_[{priority, flags}];
  while (int(kept.size()) < setup.count) {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithPriority(&stream, flags, priority), "cudaStreamCreateWithPriority");
    kept.push_back(stream);
  }
  streams_.assign(kept.begin(), kept.begin() + setup.count);
  if (setup.is_blocking) streams_.front() = nullptr;  // the legacy default stream
  return "";
}

std::string Streams::open(const StreamSetup& setup) {
  close();
  if (const int connections = connections_of_process(); setup.connections != connections)
    return "stream.connections=" + std::to_string(setup.connections) +
           ": this worker's process was started with " + std::to_string(connections) +
           "; CUDA_DEVICE_MAX_CONNECTIONS has to be set before it starts";
  if (const std::string reason = choose_streams(setup); !reason.empty()) return reason;
  setup_ = setup;
  while (int(ends_.size()) < setup.count) {
    ends_.push_back(new_event(cudaEventDefault));
    done_.push_back(new_event(cudaEventDisableTiming));
  }
  if (setup.background > 0)
    load_ = std::make_unique<BackgroundLoad>(site_.ordinal, setup.background);
  return "";
}

void Streams::close() {
  load_.reset();
  streams_.clear();
  is_calibrated_ = false;
  site_.work_in(0, 1, site_.main);
}

TimerFloor Streams::fork_join_floor() const {
  return {floor_.makespan_s, std::max(0.0, floor_.makespan_s - floor_.alone_s)};
}

void Streams::work_for(int instance, bool alone) {
  if (instance < 0) return site_.work_in(0, 1, site_.main);
  // Instances launched alone have their own parts: their results must outlast the replay of a graph
  // that was captured before.
  const int part = alone ? setup_.count + instance : instance;
  site_.work_in(part, 2 * setup_.count, at(alone ? 0 : instance));
}

/// One launch of every instance, each after those that it depends on.
void Streams::enqueue_instances(const StreamLaunch& launch, bool is_first) {
  const bool is_ordered = setup_.dependencies != Dependencies::independent;
  if (is_ordered && !is_first) wait(streams_.front(), done_[std::size_t(setup_.count) - 1]);
  for (int i = 0; i < setup_.count; ++i) {
    for (const int before : instances_before(setup_, i)) wait(at(i), done_[std::size_t(before)]);
    launch(i, i);
    if (is_ordered) record(done_[std::size_t(i)], at(i));
  }
}

void Streams::enqueue_forked(const StreamLaunch& launch, int batch, cudaEvent_t fork,
                             const std::vector<cudaEvent_t>& ends) {
  for (const cudaStream_t stream : streams_) wait(stream, fork);
  for (int k = 0; k < batch; ++k) enqueue_instances(launch, k == 0);
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    record(ends[i], streams_[i]);
    wait(hold_stream_, ends[i]);
  }
}

void Streams::enqueue_alone(const Subject& subject, int batch, cudaEvent_t fork, cudaEvent_t end) {
  wait(streams_.front(), fork);
  for (int k = 0; k < batch; ++k)
    for (int i = 0; i < subject.alone_instances; ++i) subject.launch(i, 0);
  record(end, streams_.front());
  wait(hold_stream_, end);
}

void Streams::run(const StreamLaunch& launch, const std::vector<bool>& delayed, double delay_s) {
  record(quick_fork_, site_.main);
  for (const cudaStream_t stream : streams_) wait(stream, quick_fork_);
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (delayed[i]) launch_rest(std::uint64_t(delay_s * 1e9), streams_[i]);
  enqueue_instances(launch, true);
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    record(done_[i], streams_[i]);
    wait(site_.main, done_[i]);
  }
}

Streams::Graph Streams::captured(const Enqueue& enqueue) {
  // Relaxed, because libraries do allocate during a capture.
  check(cudaStreamBeginCapture(hold_stream_, cudaStreamCaptureModeRelaxed),
        "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    record(quick_fork_, hold_stream_);
    enqueue();
  } catch (...) {
    cudaStreamEndCapture(hold_stream_, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();  // the aborted capture's error
    throw;
  }
  check(cudaStreamEndCapture(hold_stream_, &graph), "cudaStreamEndCapture");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t code = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  check(code, "cudaGraphInstantiate");
  check(cudaGraphLaunch(executable, hold_stream_), "cudaGraphLaunch");  // the first launch uploads
                                                                        // it
  check(cudaStreamSynchronize(hold_stream_), "cudaStreamSynchronize");
  return Graph(executable);
}

Streams::Subject Streams::subject_of(const StreamLaunch& launch, int alone_instances) {
  Subject subject{launch, alone_instances, nullptr, nullptr};
  if (!setup_.is_graph) return subject;
  subject.forked = captured([&] { enqueue_forked(launch, 1, quick_fork_, done_); });
  subject.alone = captured([&] { enqueue_alone(subject, 1, quick_fork_, done_.front()); });
  return subject;
}

/// Seconds from fork to join of the work that `enqueue` enqueues, behind a hold.
double Streams::seconds_of(const Enqueue& before, const Enqueue& enqueue, StreamReading& reading) {
  hold_->released = 0;
  hold_->expired = 0;
  const HoldGuard guard(hold_);
  if (is_held()) launch_hold(hold_, kWatchdogNs, hold_stream_);
  launch_clock_reading(&clocks_[0], hold_stream_);
  before();
  record(fork_, hold_stream_);
  enqueue();
  record(join_, hold_stream_);
  launch_clock_reading(&clocks_[1], hold_stream_);
  if (is_held() && hold_->expired != 0) reading.hold_expired = true;
  hold_->released = 1;
  check(cudaStreamSynchronize(hold_stream_), "cudaStreamSynchronize");
  if (clocks_[0].multiprocessor == clocks_[1].multiprocessor &&
      clocks_[1].nanoseconds > clocks_[0].nanoseconds) {
    clock_cycles_ += double(clocks_[1].cycles - clocks_[0].cycles);
    clock_ns_ += double(clocks_[1].nanoseconds - clocks_[0].nanoseconds);
  }
  const double seconds = elapsed_s(fork_, join_);
  reading.spent_s += seconds;
  return seconds;
}

void Streams::time_forked(const Subject& subject, int batch, StreamReading& reading,
                          StreamSample& sample) {
  const double raw_s =
      seconds_of([] {},
                 [&] {
                   if (!subject.forked) return enqueue_forked(subject.launch, batch, fork_, ends_);
                   for (int k = 0; k < batch; ++k)
                     check(cudaGraphLaunch(subject.forked.get(), hold_stream_), "cudaGraphLaunch");
                 },
                 reading);
  sample.makespan_s = (raw_s - floor_.makespan_s) / batch;
  sample.latencies_s.clear();
  if (subject.forked) return;
  for (std::size_t i = 0; i < streams_.size(); ++i)
    sample.latencies_s.push_back((elapsed_s(fork_, ends_[i]) - floor_.latencies_s[i]) / batch);
}

/// Seconds per instance.
double Streams::time_alone(const Subject& subject, int batch, StreamReading& reading) {
  const double raw_s =
      seconds_of([] {},
                 [&] {
                   if (!subject.alone) return enqueue_alone(subject, batch, fork_, ends_.front());
                   for (int k = 0; k < batch; ++k)
                     check(cudaGraphLaunch(subject.alone.get(), hold_stream_), "cudaGraphLaunch");
                 },
                 reading);
  return (raw_s - floor_.alone_s) / (batch * subject.alone_instances);
}

/// Times while the background load runs; repeats if the load ended too early.
void Streams::time_loaded(const Enqueue& timed, StreamReading& reading) {
  for (int attempt = 0; attempt < kLoadAttempts; ++attempt) {
    reading.failure = load_->start();
    if (!reading.failure.empty()) return;
    try {
      timed();
    } catch (...) {
      load_->stop();
      throw;
    }
    if (load_->stop()) return;
  }
  reading.failure = "the background load ended before what it should have accompanied";
}

/// Alternates which state is first: earlier work changes readings.
StreamSample Streams::timed_sample(const Subject& subject, int batch, bool is_odd,
                                   StreamReading& reading) {
  StreamSample sample;
  const auto both = [&] {
    const bool has_alone = setup_.count > 1;
    if (has_alone && is_odd) sample.alone_s = time_alone(subject, batch, reading);
    time_forked(subject, batch, reading, sample);
    if (has_alone && !is_odd) sample.alone_s = time_alone(subject, batch, reading);
  };
  if (!load_) {
    both();
    return sample;
  }
  StreamSample quiet;
  if (is_odd) time_forked(subject, batch, reading, quiet);
  time_loaded(both, reading);
  if (!is_odd) time_forked(subject, batch, reading, quiet);
  sample.quiet_s = quiet.makespan_s;
  return sample;
}

StreamSample Streams::traced_sample(const Subject& subject, StreamReading& reading) {
  StreamSample sample;
  const auto traced = [&] {
    const double raw_s = seconds_of(
        [&] {
          site_.tracer->start();
          launch_mark(hold_stream_);
        },
        [&] {
          if (subject.forked)
            check(cudaGraphLaunch(subject.forked.get(), hold_stream_), "cudaGraphLaunch");
          else
            enqueue_forked(subject.launch, 1, fork_, ends_);
          site_.tracer->stop();
        },
        reading);
    sample.makespan_s = raw_s - floor_.makespan_s;
    const CuptiTracer::Recording recording = site_.tracer->take(kMarkName);
    reading.failure = recording.failure;
    sample.activities.clear();
    // Kernels of a load would be listed among those of the case.
    if (!recording.launches.empty() && reading.kernels.empty() && !load_)
      reading.kernels = describe_activities(recording.launches.back(), 1, site_.code_of);
    if (!recording.launches.empty())
      for (const Activity& activity : recording.launches.back())
        sample.activities.push_back({activity.stream, activity.start_ns, activity.end_ns});
    if (sample.activities.empty() && reading.failure.empty())
      reading.failure = "CUPTI recorded nothing between fork and join";
  };
  if (load_)
    time_loaded(traced, reading);
  else
    traced();
  return sample;
}

void Streams::take_samples(const StreamLaunch& launch, const StreamPlan& plan,
                           StreamReading& reading) {
  const Subject subject = subject_of(launch, setup_.count);
  for (int i = 0; i < plan.samples && reading.failure.empty(); ++i)
    reading.samples.push_back(is_traced() ? traced_sample(subject, reading)
                                          : timed_sample(subject, plan.batch, i % 2 == 1, reading));
}

StreamReading Streams::time_block(const StreamLaunch& launch, const StreamPlan& plan) {
  synchronize();
  if (!std::exchange(is_calibrated_, true)) floor_ = calibrated();
  clock_cycles_ = clock_ns_ = 0;
  StreamReading reading;
  {
    const Window window(site_, reading.has_allocated);
    take_samples(launch, plan, reading);
  }
  if (clock_ns_ > 0) reading.clock_hz = clock_cycles_ / clock_ns_ * 1e9;
  return reading;
}

/// Medians of empty launches in the same streams. One instance is enough for the reading
/// alone. Declared dependencies are left out: waiting for other instances is part of a measurement.
Streams::Floor Streams::calibrated() {
  const Dependencies declared = std::exchange(setup_.dependencies, Dependencies::independent);
  floor_ = {0, 0, std::vector<double>(streams_.size(), 0)};
  const StreamLaunch nothing = [this](int, int stream) { launch_nothing(at(stream)); };
  const Subject subject = subject_of(nothing, 1);
  StreamReading reading;
  std::vector<double> makespans;
  std::vector<double> alones;
  std::vector<std::vector<double>> latencies(streams_.size());
  for (int i = 0; i < kFloorSamples; ++i) {
    StreamSample sample;
    time_forked(subject, 1, reading, sample);
    makespans.push_back(sample.makespan_s);
    for (std::size_t s = 0; s < sample.latencies_s.size(); ++s)
      latencies[s].push_back(sample.latencies_s[s]);
    alones.push_back(time_alone(subject, 1, reading));
  }
  Floor floor{median_of(makespans), median_of(alones), {}};
  for (const std::vector<double>& values : latencies)
    floor.latencies_s.push_back(values.empty() ? 0 : median_of(values));
  setup_.dependencies = declared;
  return floor;
}

}  // namespace plumbline::cuda
