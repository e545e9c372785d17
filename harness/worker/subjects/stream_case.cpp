#include "worker/subjects/stream_case.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>

#include "backends/libtorch/workspaces.h"
#include "device/random.h"
#include "measure/delay_patterns.h"
#include "measure/stream_sampler.h"
#include "worker/subjects/plain_launches.h"
#include "worker/verify/visit_failure.h"

namespace plumbline {
namespace {

/// Longer than the enqueue of the work that should overtake it.
constexpr double kDelayMin_s = 2e-3;
constexpr double kDelayMax_s = 100e-3;
constexpr double kDelayPerEnqueue = 4;

std::string list_of(const std::vector<bool>& delayed) {
  std::string text;
  for (std::size_t i = 0; i < delayed.size(); ++i)
    if (delayed[i]) text += (text.empty() ? "" : ", ") + std::to_string(i);
  return text;
}

}  // namespace

StreamCase::StreamCase(Session& session, const MeasureRequest& request)
    : site_(session.race_site()),
      device_(session.device()),
      streams_(session.streams()),
      request_(request),
      plain_launches_(session.plain_launches()),
      setup_(stream_setup(request.subject.params)),
      none_delayed_(std::size_t(setup_.count)) {
  if (is_of_plain_cases(session.profile()) && plain_launches_ == 0)
    throw Unsupported("cases with streams have no metrics in the profile '" +
                      std::string(name_of(session.profile())) + "'");
  if (streams_.is_traced() != (session.profile() == Profile::trace))
    throw Unsupported("CUPTI is not available: no time stamps of what ran on which stream");
  if (const std::string reason = unmeasurable_stream(request.subject.params); !reason.empty())
    throw Unsupported(reason);
  if (const std::string reason = streams_.open(setup_); !reason.empty()) throw Unsupported(reason);
  const auto seed = std::uint64_t(request.seed);
  for (int i = 0; i < setup_.count; ++i) {
    instances_.emplace_back(request.subject, device_, true,
                            std::int64_t(i == 0 ? seed : random_bits(seed, std::uint64_t(i)) >> 1));
    Lane& lane = lanes_.emplace_back();
    if (setup_.overlap == Overlap::none) continue;
    const bool is_pinned = setup_.overlap == Overlap::copy_pinned;
    lane.own_copies = std::make_unique<HostCopies>(is_pinned);
    lane.alone_copies = std::make_unique<HostCopies>(is_pinned);
  }
}

StreamCase::~StreamCase() {
  lanes_.clear();
  instances_.clear();
  try {
    streams_.close();
    drop_workspaces();
  } catch (const std::exception&) {
    return;  // the device has failed, and its next caller reports that
  }
}

/// A launch that waits for the device would wait for its own stream: several would never run at the
/// same time, and behind a hold none would ever run.
void StreamCase::require_timeable() {
  Workload& workload = instances_.front().workload();
  streams_.work_for(-1, false);
  device_.place(placement_key(request_, kVerificationBlock));
  workload.make_inputs();
  {
    const Prepared prepared = workload.prepare();
    const Launch launch = [&prepared] {
      prepared.clear();
      prepared.launch();
    };
    launch();
    device_.synchronize();
    if (!device_.can_be_held(launch))
      throw Unsupported(stream_axis_of(request_.subject.params) +
                        ": a launch waits for the device, so that several cannot run side by side");
  }
  workload.drop_inputs();
}

void StreamCase::place(std::int64_t placement) {
  streams_.synchronize();
  for (Lane& lane : lanes_) {
    lane.own = lane.alone = {};
    lane.has_run_alone = false;
  }
  for (Instance& instance : instances_) instance.workload().drop_inputs();
  drop_workspaces();
  device_.place(placement_key(request_, placement));
  for (int i = 0; i < setup_.count; ++i) {
    streams_.work_for(i, false);
    instances_[std::size_t(i)].workload().make_inputs();
  }
  streams_.work_for(-1, false);
  streams_.synchronize();
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    for (HostCopies* copies : {lanes_[i].own_copies.get(), lanes_[i].alone_copies.get()})
      if (copies != nullptr) copies->keep(instances_[i].workload().inputs());
}

void StreamCase::prepare() {
  for (int i = 0; i < setup_.count; ++i) {
    prepare_on(i, i);
    if (i > 0) prepare_on(i, 0);
  }
  streams_.work_for(-1, false);
  streams_.synchronize();
}

void StreamCase::prepare_on(int i, int stream) {
  Lane& lane = lanes_[std::size_t(i)];
  const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromExternal(
      static_cast<cudaStream_t>(streams_.handle(stream)), c10::DeviceIndex(site_.ordinal)));
  streams_.work_for(i, stream != i);
  (stream == i ? lane.own : lane.alone) = instances_[std::size_t(i)].workload().prepare();
}

/// As it is timed.
void StreamCase::launch_on(int i, int stream) {
  Lane& lane = lanes_[std::size_t(i)];
  const bool is_alone = stream != i;
  const Prepared& prepared = is_alone ? lane.alone : lane.own;
  HostCopies* const copies = (is_alone ? lane.alone_copies : lane.own_copies).get();
  auto* const handle = static_cast<cudaStream_t>(streams_.handle(stream));
  const c10::cuda::CUDAStreamGuard guard(
      c10::cuda::getStreamFromExternal(handle, c10::DeviceIndex(site_.ordinal)));
  streams_.work_for(i, is_alone);
  device_.begin_launch();
  if (copies != nullptr) copies->to_device(handle);
  prepared.clear();  // the previous launch: this one's results take its place
  prepared.launch();
  if (copies != nullptr) copies->to_host(prepared.results(), handle);
  lane.has_run_alone |= is_alone;
}

/// After the stream's delay: poisons results, restores inputs, launches.
void StreamCase::launch_checked(int i, int stream) {
  const Lane& lane = lanes_[std::size_t(i)];
  auto* const handle = static_cast<cudaStream_t>(streams_.handle(stream));
  poison_results((stream != i ? lane.alone : lane.own).results(), handle);
  lane.frozen->restore(handle);
  launch_on(i, stream);
}

void StreamCase::fork_and_join() {
  streams_.run([this](int i, int stream) { launch_on(i, stream); }, none_delayed_, 0);
}

void StreamCase::launch() {
  fork_and_join();
  streams_.work_for(-1, false);
  streams_.synchronize();
}

Tensors StreamCase::results() const {
  Tensors all;
  for (const Lane& lane : lanes_)
    for (const at::Tensor& result : lane.own.results()) all.push_back(result);
  return all;
}

/// Judges each instance's last launch on its own stream, then its launch alone.
void StreamCase::judge_results(const Judge& judge, const std::string& when) {
  streams_.synchronize();
  streams_.work_for(-1, false);
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    judge_lane(i, lanes_[i].own, lanes_[i].own_copies.get(), judge, when);
  judge_alone(judge, when + " alone");
}

/// Judges the results on the device and those copied to the host.
void StreamCase::judge_lane(std::size_t i, const Prepared& prepared, const HostCopies* copies,
                            const Judge& judge, const std::string& when) {
  Instance& instance = instances_[i];
  const std::string which = "instance " + std::to_string(i) + (when.empty() ? "" : ", " + when);
  const Tensors results = prepared.results();
  judge(instance, results, which);
  if (copies != nullptr) judge(instance, copies->received(results), which);
}

void StreamCase::judge_alone(const Judge& judge, const std::string& when) {
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    if (lanes_[i].has_run_alone)
      judge_lane(i, lanes_[i].alone, lanes_[i].alone_copies.get(), judge, when);
}

void StreamCase::look_for_races(const Judge& judge) {
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    lanes_[i].frozen = std::make_unique<FrozenInputs>(instances_[i].workload().inputs());
  streams_.synchronize();
  launch_delayed(none_delayed_, judge);
  for (int i = 1; i < setup_.count; ++i) launch_checked(i, 0);
  streams_.work_for(-1, false);
  streams_.synchronize();
  judge_alone(judge, "launched after the others");
  for (const std::vector<bool>& delayed : delay_patterns(setup_.count))
    launch_delayed(delayed, judge);
  lanes_.front().frozen->restore(c10::cuda::getCurrentCUDAStream());
  streams_.work_for(-1, false);
  if (const std::string race = instances_.front().race(site_); !race.empty())
    throw VisitFailure{Status::wrong, race};
  for (Lane& lane : lanes_) lane.frozen.reset();
}

/// One fork-join whose results are read as early as possible on the stream that joins it.
void StreamCase::launch_delayed(const std::vector<bool>& delayed, const Judge& judge) {
  streams_.work_for(-1, false);
  const cudaStream_t main = c10::cuda::getCurrentCUDAStream();
  for (Lane& lane : lanes_) {
    lane.frozen->spoil(main);
    if (lane.own_copies) lane.own_copies->poison();
  }
  const double begin_s = device_.now_s();
  streams_.run([this](int i, int stream) { launch_checked(i, stream); }, delayed,
               std::clamp(kDelayPerEnqueue * enqueue_s_, kDelayMin_s, kDelayMax_s));
  const std::string late = list_of(delayed);
  if (late.empty()) enqueue_s_ = device_.now_s() - begin_s;
  streams_.work_for(-1, false);
  std::vector<Prepared> seen;
  for (const Lane& lane : lanes_) {
    Tensors results;
    for (const at::Tensor& result : lane.own.results()) results.push_back(result.clone());
    seen.emplace_back().results = [results] { return results; };
  }
  streams_.synchronize();
  const std::string when =
      late.empty() ? "" : "a race between streams, of which these were delayed: " + late;
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    judge_lane(i, seen[i], lanes_[i].own_copies.get(), judge, when);
}

VisitSamples StreamCase::sample(const Judge&) {
  const auto ready = [this](std::int64_t placement) {
    place(placement);
    prepare();
  };
  if (plain_launches_ == 0)
    return sample_streams(
        device_, streams_, setup_,
        [&](std::int64_t placement) {
          ready(placement);
          return [this](int i, int stream) { launch_on(i, stream); };
        },
        request_.policy);
  return launch_plainly(
      device_,
      [&](std::int64_t placement, std::uint64_t) {
        ready(placement);
        return [this] { fork_and_join(); };
      },
      plain_launches_);
}

}  // namespace plumbline
