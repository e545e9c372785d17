#include "worker/subjects/stock_sampler.h"

#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <memory>

#include "backends/libtorch/captured_launches.h"
#include "core/run/metric.h"
#include "device/cuda/back_to_back.h"
#include "measure/energy.h"
#include "measure/flags.h"
#include "measure/replay.h"
#include "worker/subjects/memory_phase.h"

namespace plumbline {
namespace {

class StockSampling {
 public:
  StockSampling(Device& device, const StockSubject& subject, const Policy& policy,
                const std::function<double()>& energy_j)
      : device_(device),
        subject_(subject),
        policy_(policy),
        energy_j_(energy_j),
        stream_(c10::cuda::getCurrentCUDAStream().stream()),
        allocator_(libtorch_allocator(c10::cuda::getCurrentCUDAStream().device_index())),
        launch_(subject.place(0, contents_of(ContentsOf::placement, 0))) {}

  VisitSamples run() {
    const double begin_s = device_.now_s();
    run_launch();  // loads code and makes handles
    if (is_asked_for("memory")) add(memory());
    if (is_asked_for("graph_time") || is_asked_for("energy")) {
      uncapturable_ = subject_.uncapturable;
      if (uncapturable_.empty()) capture();
      if (is_asked_for("graph_time") && !graph_) say_why_no_graph();
    }
    if (is_asked_for("graph_time") && graph_) {
      flagging_allocations([this] { add_graph_time(CacheState::hot); });
      subject_.check();
    }
    if (is_asked_for("energy")) flagging_allocations([this] { add_energy(); });
    subject_.clear();  // they lie in the graph's memory
    graph_.reset();
    run_launch();
    samples_.launching_s = device_.now_s() - begin_s;
    return std::move(samples_);
  }

 private:
  bool is_asked_for(const char* measurement) const {
    return std::ranges::find(policy_.metrics, measurement) != policy_.metrics.end();
  }

  bool is_cold_asked_for() const {
    return std::ranges::find(policy_.cache, "cold") != policy_.cache.end();
  }

  void run_launch() {
    launch_();
    device_.synchronize();
  }

  VisitSamples memory() const {
    VisitSamples found = measure_memory(device_, launch_, subject_.clear, allocator_, policy_);
    if (subject_.keeps_memory.empty()) return found;
    for (const char* const metric : {"peak_memory", "reserved_memory"}) {
      std::erase_if(found.measurements,
                    [&](const MeasuredMetric& m) { return m.metric == metric; });
      found.absent[metric] = subject_.keeps_memory;
    }
    return found;
  }

  void add(VisitSamples found) {
    for (MeasuredMetric& measurement : found.measurements)
      samples_.measurements.push_back(std::move(measurement));
    samples_.absent.merge(found.absent);
  }

  /// The first replay allocates the graph's memory on the device, which waits for it.
  void capture(int launches) {
    graph_ = std::make_unique<CapturedLaunches>(launch_, launches);
    graph_->replay();
    device_.synchronize();
  }

  /// First captures one launch to time it, and for a cold cache; then as many as a graph should
  /// hold.
  void capture() {
    try {
      capture(1);
      const BlockPlan plan{
          .cache = CacheState::hot, .timer = Timer::events, .samples = 3, .batch = 1};
      const auto samples = device_.time_block([this] { graph_->replay(); }, plan).samples_s;
      const int launches = launches_per_graph(*std::ranges::min_element(samples));
      if (is_asked_for("graph_time") && is_cold_asked_for()) {
        flagging_allocations([this] { add_graph_time(CacheState::cold); });
        subject_.check();
      }
      if (launches > 1) capture(launches);
    } catch (const Uncapturable& reason) {
      graph_.reset();
      uncapturable_ = std::string("the launch cannot be captured: ") + reason.what();
      subject_.clear();
      run_launch();  // results must come from a launch that has run
    }
  }

  void say_why_no_graph() {
    samples_.absent["graph_time"] = uncapturable_;
    const bool has_cold = std::ranges::any_of(
        samples_.measurements, [](const auto& one) { return one.metric == "graph_time_cold"; });
    if (is_cold_asked_for() && !has_cold) samples_.absent["graph_time_cold"] = uncapturable_;
  }

  void add_graph_time(CacheState cache) {
    samples_.measurements.push_back(sample_replays(
        device_, [this] { graph_->replay(); }, graph_->launches(), cache, policy_));
  }

  /// From a graph if there is one, so that short launches do not wait for the host.
  void add_energy() {
    cuda::BackToBack queue(stream_);
    const Launch launch = graph_ ? Launch([this] { graph_->replay(); }) : launch_;
    const EnergySource source{.energy_j = energy_j_,
                              .now_s = [this] { return device_.now_s(); },
                              .enqueue = [&](int launches) { queue.add(launch, launches); }};
    EnergyReading reading = measure_energy(source, {}, graph_ ? graph_->launches() : 1);
    queue.finish();
    if (!reading.absent.empty()) {
      samples_.absent["energy"] = samples_.absent["power"] = reading.absent;
      return;
    }
    const bool is_shared = device_.state().has_foreign_process;  // the counter covers the whole GPU
    for (MeasuredMetric* measurement : {&reading.energy, &reading.power}) {
      if (is_shared) measurement->flags.emplace_back(kFlagForeignProcess);
      samples_.measurements.push_back(std::move(*measurement));
    }
  }

  /// Memory that the allocator takes from the device during a timed measurement.
  template <class Measure>
  void flagging_allocations(const Measure& measure) {
    const std::size_t first = samples_.measurements.size();
    const double before = allocator_.stats().device_allocations;
    measure();
    if (!(allocator_.stats().device_allocations > before)) return;
    for (std::size_t i = first; i < samples_.measurements.size(); ++i)
      samples_.measurements[i].flags.emplace_back(kFlagAllocation);
  }

  Device& device_;
  const StockSubject& subject_;
  const Policy& policy_;
  const std::function<double()>& energy_j_;
  cudaStream_t stream_;
  AllocatorView allocator_;
  Launch launch_;
  std::unique_ptr<CapturedLaunches> graph_;
  std::string uncapturable_;
  VisitSamples samples_;
};

}  // namespace

VisitSamples sample_stock(Device& device, const StockSubject& subject, const Policy& policy,
                          const std::function<double()>& energy_j) {
  return StockSampling(device, subject, policy, energy_j).run();
}

}  // namespace plumbline
