#include "core/run/metric.h"

#include <algorithm>

namespace plumbline {

std::optional<Profile> profile_named(std::string_view name) {
  const auto found = std::ranges::find(kProfileNames, name);
  if (found == kProfileNames.end()) return std::nullopt;
  return static_cast<Profile>(found - kProfileNames.begin());
}

namespace {

using enum Profile;
constexpr bool judged = true, shown = false, less = false, more = true;

constexpr std::array kOfLaunches = std::to_array<Metric>({
    {"gpu_time_cold", "gpu_time", "s", timing, judged, less,
     "event pair around one launch on a held stream, L2 evicted by reads, minus the event floor"},
    {"gpu_time_cold_write", "gpu_time", "s", timing, judged, less,
     "as gpu_time_cold, but L2 evicted by writes: the launch pays for writing their lines back"},
    {"gpu_time_hot", "gpu_time", "s", timing, judged, less,
     "event pair around back-to-back launches on a held stream, minus the event floor"},
    {"kernel_time_cold", "kernel_time", "s", trace, judged, less,
     "sum of the durations of a launch's kernels and copies by CUPTI, L2 evicted by reads"},
    {"kernel_time_cold_write", "kernel_time", "s", trace, judged, less,
     "as kernel_time_cold, but L2 evicted by writes"},
    {"kernel_time_hot", "kernel_time", "s", trace, judged, less,
     "sum of the durations of a launch's kernels and copies by CUPTI, launches back to back"},
    {"kernel_span_cold", "kernel_time", "s", trace, shown, less,
     "from the start of a launch's first kernel to the end of its last, by CUPTI; L2 evicted by "
     "reads. Tracing lengthens the gaps between kernels"},
    {"kernel_span_cold_write", "kernel_time", "s", trace, shown, less,
     "as kernel_span_cold, but L2 evicted by writes"},
    {"kernel_span_hot", "kernel_time", "s", trace, shown, less,
     "as kernel_span_cold, launches back to back"},
    {"host_time", "host_time", "s", timing, judged, less,
     "time for which the host is busy with enqueueing one launch, the stream being held"},
    {"graph_time", "graph_time", "s", stock, judged, less,
     "per launch under replay of a CUDA graph of several launches, minus the event floor"},
    {"graph_time_cold", "graph_time", "s", stock, judged, less,
     "replay of a CUDA graph of one launch, L2 evicted by reads, minus the event floor"},
    {"wall_time", "", "s", timing, judged, less,
     "by the host's clock until the launch is completed: the CPU, and launches that wait for the "
     "device themselves"},
});

constexpr std::array kOfPython = std::to_array<Metric>({
    {"compile_time", "", "s", timing, shown, less,
     "first call of a Python function in a worker: it compiles and tunes, unless a cache has it"},
    {"data_time", "", "s", timing, shown, less,
     "part of a step with `transfer`: copies of its arguments from the host"},
    {"forward_time", "", "s", timing, shown, less,
     "part of a training step, or of inference with `transfer`: the outputs"},
    {"loss_time", "", "s", timing, shown, less, "part of a training step: the loss"},
    {"backward_time", "", "s", timing, shown, less, "part of a training step: the gradients"},
    {"scale_and_clip_time", "", "s", timing, shown, less, "part of a training step: unscaling"},
    {"optimizer_time", "", "s", timing, shown, less, "part of a training step: new weights"},
    {"latency_p50", "", "s", timing, shown, less,
     "from a request's arrival to the end of its inference, for half of the requests that `serve` "
     "of the suite declares: the median"},
    {"latency_p90", "", "s", timing, shown, less, "as latency_p50: the 90th percentile"},
    {"latency_p99", "", "s", timing, shown, less, "as latency_p50: the 99th percentile"},
    {"latency_p999", "", "s", timing, shown, less, "as latency_p50: the 99.9th percentile"},
    {"throughput", "", "1/s", timing, shown, more,
     "items of those requests that were served in a second"},
    {"accuracy", "", "1", timing, shown, more,
     "share of the held-out targets that a network gets right after the training that its suite "
     "declares; the round is the seed"},
    {"training_loss", "", "1", timing, shown, less,
     "loss of every tenth step of that training, in their order"},
});

constexpr std::array kOfStreams = std::to_array<Metric>({
    {"makespan", "", "s", timing, judged, less,
     "from the fork of launches on several streams to their join, minus the time of empty "
     "launches in the same streams; hot cache. Launches are held, except for copies of pageable "
     "memory"},
    {"stream_latency", "", "s", timing, shown, less,
     "from the fork to the end of one stream's launches, a sample for each stream in their "
     "order"},
    {"speedup", "", "1", timing, shown, more,
     "the same launches one after the other on one stream, in the same blocks / makespan"},
    {"stream_efficiency", "", "1", timing, shown, more, "speedup / number of streams"},
    {"background_slowdown", "", "1", timing, shown, less,
     "makespan beside the background load / without it, in the same blocks"},
});

constexpr std::array kOfRanks = std::to_array<Metric>({
    {"rank_skew_cold", "gpu_time", "s", timing, shown, less,
     "from the first to the last rank's start of a launch of several GPUs, by their clocks; L2 "
     "evicted by reads"},
    {"rank_skew_cold_write", "gpu_time", "s", timing, shown, less,
     "as rank_skew_cold, but L2 evicted by writes"},
    {"rank_skew_hot", "gpu_time", "s", timing, shown, less,
     "as rank_skew_cold, without an eviction"},
});

constexpr std::array kOfMemoryAndEnergy = std::to_array<Metric>({
    {"peak_memory", "memory", "B", stock, judged, less,
     "most memory that tensors of a launch hold at once, beyond what it was given"},
    {"reserved_memory", "memory", "B", stock, shown, less,
     "most memory that LibTorch's allocator took from the device for launches, beyond what it "
     "had taken before the first"},
    {"fragmentation", "memory", "1", stock, shown, less,
     "1 - largest free piece / free memory, of what the allocator has reserved after a launch "
     "while its results are still there; 0 without free memory"},
    {"allocations", "memory", "1", stock, shown, less, "allocations by one launch"},
    {"device_allocations", "memory", "1", stock, shown, less,
     "calls of cudaMalloc by one launch: inside a timed window they would be its time"},
    {"allocation_retries", "memory", "1", stock, shown, less,
     "allocations that first had to give cached memory back"},
    {"leaked_memory", "memory", "B", stock, shown, less,
     "memory that stays allocated per launch after its results are gone"},
    {"energy", "energy", "J", stock, judged, less,
     "by the GPU's total energy counter over at least 0.5 s of back-to-back launches, per "
     "launch; it includes what an idle GPU takes"},
    {"power", "energy", "W", stock, shown, less, "mean power over those launches"},
});

// What CUPTI counts them from is in device/cuda/cupti/counter_formulas.cpp.
constexpr std::array kOfCounters = std::to_array<Metric>({
    {"dram_bytes", "counters", "B", counters, shown, less,
     "bytes read from DRAM and written to it during a launch; L2 evicted by reads. What a launch "
     "writes may stay in L2: up to its size is missing"},
    {"dram_read_bytes", "counters", "B", counters, shown, less, "part of dram_bytes: read"},
    {"dram_write_bytes", "counters", "B", counters, shown, less, "part of dram_bytes: written"},
    {"l2_bytes", "counters", "B", counters, shown, less,
     "bytes that multiprocessors read from L2 and wrote to it, in sectors of 32 bytes"},
    {"l2_hit_rate", "counters", "1", counters, shown, more, "share of these sectors found in L2"},
    {"l1_hit_rate", "counters", "1", counters, shown, more, "share of sectors found in L1"},
    {"sectors_per_load", "counters", "1", counters, shown, less,
     "sectors that a warp's load from global memory touches. 4 bytes for each thread, side by "
     "side: "
     "4; 16 bytes: 16; scattered: up to 32"},
    {"sectors_per_store", "counters", "1", counters, shown, less,
     "as sectors_per_load: stores to global memory"},
    {"shared_conflicts", "counters", "1", counters, shown, less,
     "cycles in which banks of shared memory served an access again, because several threads "
     "wanted the same bank; of all multiprocessors"},
    {"instructions", "counters", "1", counters, shown, less, "instructions that warps executed"},
    {"issue_active", "counters", "1", counters, shown, more,
     "share of the active cycles in which a scheduler issued an instruction"},
    {"tensor_active", "counters", "1", counters, shown, more,
     "share of the active cycles in which the tensor pipe worked"},
    {"achieved_occupancy", "counters", "1", counters, shown, more,
     "resident warps / the most that a multiprocessor holds, over active cycles"},
    {"stall_long_scoreboard", "counters", "1", counters, shown, less,
     "share of the warps' time: waiting for global or local memory"},
    {"stall_short_scoreboard", "counters", "1", counters, shown, less,
     "share of the warps' time: waiting for shared memory or special functions"},
    {"stall_barrier", "counters", "1", counters, shown, less,
     "share of the warps' time: waiting for other warps of the block"},
    {"stall_math_pipe", "counters", "1", counters, shown, less,
     "share of the warps' time: waiting for an arithmetic pipe"},
    {"stall_mio_throttle", "counters", "1", counters, shown, less,
     "share of the warps' time: waiting for the queue of shared memory and special functions"},
    {"stall_lg_throttle", "counters", "1", counters, shown, less,
     "share of the warps' time: waiting for the queue of global and local memory"},
    {"stall_wait", "counters", "1", counters, shown, less,
     "share of the warps' time: waiting for a result with fixed latency"},
    {"stall_no_instruction", "counters", "1", counters, shown, less,
     "share of the warps' time: waiting for the next instruction to be fetched"},
    {"stall_gmma", "counters", "1", counters, shown, less,
     "share of the warps' time: waiting for a warp group's matrix instruction (Hopper)"},
});

constexpr std::array kOfPrograms = std::to_array<Metric>({
    {"kernel_time_attached", "", "s", trace, judged, less,
     "duration of one launch of a kernel inside a program of the user, by CUPTI; caches and clocks "
     "are as the program leaves them. Without the first launch of each process"},
    {"first_time", "", "s", trace, shown, less,
     "the first launch of a kernel, or the first run of a range, in each process of a program: "
     "loading, compilation and low clocks are in it"},
    {"gap_before", "", "s", trace, shown, less,
     "from the end of what ran before on the same stream to the start of a kernel; 0 if they "
     "overlap"},
    {"launches", "", "1", trace, shown, less,
     "launches of a kernel, or runs of a range, in one run of a program"},
    {"range_time", "", "s", trace, judged, less,
     "from the opening of an NVTX range to its end, by the host's clock. Without the first of each "
     "process"},
    {"program_kernel_time", "", "s", trace, judged, less,
     "sum of the durations of all kernels in one run of a program"},
    {"program_copy_time", "", "s", trace, shown, less,
     "sum of the durations of all copies and memsets on devices in one run of a program"},
    {"program_idle_time", "", "s", trace, shown, less,
     "of the time from the first kernel or copy of each process to its last: that in which the "
     "process had nothing running on a device"},
    {"program_wall_time", "", "s", trace, shown, less,
     "from the start of a program to its end, by the host's clock"},
});

template <std::size_t... sizes>
constexpr auto joined(const std::array<Metric, sizes>&... parts) {
  std::array<Metric, (sizes + ...)> all{};
  auto place = all.begin();
  ((place = std::ranges::copy(parts, place).out), ...);
  return all;
}

}  // namespace

std::span<const Metric> metrics() {
  static constexpr auto kMetrics = joined(kOfLaunches, kOfPython, kOfStreams, kOfRanks,
                                          kOfMemoryAndEnergy, kOfCounters, kOfPrograms);
  return kMetrics;
}

const Metric* find_metric(std::string_view name) {
  const auto found = std::ranges::find(metrics(), name, &Metric::name);
  return found == metrics().end() ? nullptr : &*found;
}

std::vector<std::string_view> measurement_names() {
  std::vector<std::string_view> names;
  for (const Metric& metric : metrics())
    if (!metric.measurement.empty() && std::ranges::find(names, metric.measurement) == names.end())
      names.push_back(metric.measurement);
  return names;
}

std::vector<Profile> profiles_for(std::span<const std::string> measurements,
                                  std::string_view device_kind) {
  if (device_kind == "cpu") return {Profile::timing};
  std::vector<Profile> profiles;
  for (const Profile profile : {Profile::timing, Profile::trace, Profile::stock, Profile::counters})
    if (std::ranges::any_of(metrics(), [&](const Metric& metric) {
          return metric.profile == profile &&
                 std::ranges::find(measurements, metric.measurement) != measurements.end();
        }))
      profiles.push_back(profile);
  return profiles;
}

}  // namespace plumbline
