#include "worker/stream_visit.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>

#include "backends/libtorch/workspaces.h"
#include "device/random.h"
#include "measure/delay_patterns.h"
#include "measure/stream_sampler.h"
#include "worker/plain_launches.h"
#include "worker/verify/repeatability.h"

namespace plumbline {
namespace {

/// Outlasts the enqueue of what it is to be overtaken by.
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

StreamVisit::StreamVisit(RaceSite site, StreamDevice& streams, KeptResults& kept,
                         const MeasureRequest& request, Key key, Begin begin, bool is_first_visit)
    : site_(std::move(site)),
      device_(site_.device),
      streams_(streams),
      kept_(kept),
      request_(request),
      key_(std::move(key)),
      begin_(std::move(begin)),
      is_first_visit_(is_first_visit),
      setup_(stream_setup(request.subject.params)) {
  if (const std::string reason = unmeasurable_stream(request.subject.params); !reason.empty())
    throw Unsupported(reason);
  if (const std::string reason = streams.open(setup_); !reason.empty()) throw Unsupported(reason);
  const auto seed = std::uint64_t(request.seed);
  for (int i = 0; i < setup_.count; ++i) {
    Instance& instance = instances_.emplace_back();
    instance.seed = std::int64_t(i == 0 ? seed : random_bits(seed, std::uint64_t(i)) >> 1);
    const MakeAgain make = [this, of_instance = instance.seed] {
      return make_instance(request_.subject, device_, true, of_instance);
    };
    instance.workload = make();
    instance.judgement = std::make_unique<Judgement>(make);
    if (setup_.overlap == Overlap::none) continue;
    const bool is_pinned = setup_.overlap == Overlap::copy_pinned;
    instance.own_copies = std::make_unique<HostCopies>(is_pinned);
    instance.alone_copies = std::make_unique<HostCopies>(is_pinned);
  }
  outcome_.files = instances_.front().workload->files();
  outcome_.flops = setup_.count * instances_.front().workload->flops();
  outcome_.bytes = setup_.count * instances_.front().workload->bytes();
}

StreamOutcome StreamVisit::run() {
  begin_("verify");
  require_holdable();
  place(kVerificationBlock);
  outcome_.plan = instances_.front().own.plan;
  expect();
  if (!verify()) return outcome_;
  begin_("measure");
  VisitSamples samples = sample_streams(
      device_, streams_, setup_,
      [this](std::int64_t placement) {
        place(placement);
        return [this](int i, int stream) { launch(i, stream); };
      },
      request_.policy);
  begin_("verify again");
  if (verify_again() && verify_other_inputs()) outcome_.samples = std::move(samples);
  return outcome_;
}

StreamOutcome StreamVisit::launch_plainly(int launches) {
  begin_("verify");
  place(kVerificationBlock);
  outcome_.plan = instances_.front().own.plan;
  expect();
  begin_("measure");
  const std::vector<bool> none(instances_.size(), false);
  VisitSamples samples = plumbline::launch_plainly(
      device_,
      [&](std::int64_t placement) {
        place(placement);
        return [&] { streams_.run([this](int i, int stream) { launch(i, stream); }, none, 0); };
      },
      launches);
  begin_("verify again");
  const bool can_be_checked = !instances_.front().workload->is_mutating();
  if (!can_be_checked || are_right("launched")) outcome_.samples = std::move(samples);
  return outcome_;
}

void StreamVisit::release() noexcept {
  instances_.clear();
  try {
    streams_.close();
    drop_workspaces();
  } catch (const std::exception&) {
    // The device is lost; whoever asks it next will say so.
  }
}

/// A launch that waits for the device would wait for its own stream's turn: several never run at
/// the same time, and behind a hold none ever does.
void StreamVisit::require_holdable() {
  Workload& workload = *instances_.front().workload;
  streams_.work_for(-1, false);
  device_.place(key_(kVerificationBlock));
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

void StreamVisit::place(std::int64_t placement) {
  streams_.synchronize();
  for (Instance& instance : instances_) {
    instance.own = instance.alone = {};
    instance.workload->drop_inputs();
  }
  drop_workspaces();
  device_.place(key_(placement));
  for (int i = 0; i < setup_.count; ++i) {
    streams_.work_for(i, false);
    instances_[std::size_t(i)].workload->make_inputs();
  }
  streams_.synchronize();
  for (Instance& instance : instances_)
    for (HostCopies* copies : {instance.own_copies.get(), instance.alone_copies.get()})
      if (copies != nullptr) copies->keep(instance.workload->inputs());
  for (int i = 0; i < setup_.count; ++i) {
    prepare_on(i, i);
    if (i > 0) prepare_on(i, 0);
  }
  streams_.work_for(-1, false);
  streams_.synchronize();
}

void StreamVisit::prepare_on(int i, int stream) {
  Instance& instance = instances_[std::size_t(i)];
  const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromExternal(
      static_cast<cudaStream_t>(streams_.handle(stream)), c10::DeviceIndex(site_.ordinal)));
  streams_.work_for(i, stream != i);
  (stream == i ? instance.own : instance.alone) = instance.workload->prepare();
}

/// Timed as it is.
void StreamVisit::launch(int i, int stream) {
  Instance& instance = instances_[std::size_t(i)];
  const bool is_alone = stream != i;
  const Prepared& prepared = is_alone ? instance.alone : instance.own;
  HostCopies* const copies = (is_alone ? instance.alone_copies : instance.own_copies).get();
  auto* const handle = static_cast<cudaStream_t>(streams_.handle(stream));
  const c10::cuda::CUDAStreamGuard guard(
      c10::cuda::getStreamFromExternal(handle, c10::DeviceIndex(site_.ordinal)));
  streams_.work_for(i, is_alone);
  device_.begin_launch();
  if (copies != nullptr) copies->to_device(handle);
  prepared.clear();  // the launch before: its results' places are this one's
  prepared.launch();
  if (copies != nullptr) copies->to_host(prepared.results(), handle);
}

/// Behind whatever the stream is delayed by: results poisoned, inputs whole again, launched.
void StreamVisit::launch_checked(int i, int stream) {
  const Instance& instance = instances_[std::size_t(i)];
  auto* const handle = static_cast<cudaStream_t>(streams_.handle(stream));
  poison_results((stream != i ? instance.alone : instance.own).results(), handle);
  instance.frozen->restore(handle);
  launch(i, stream);
}

Tensors StreamVisit::reference_of(const Instance& instance) {
  return in_float64([&] { return instance.workload->reference(); });
}

void StreamVisit::expect() {
  for (Instance& instance : instances_) {
    try {
      instance.expected = kept_.get(reference_key(request_.subject, instance.seed), device_, true,
                                    [&] { return reference_of(instance); });
      outcome_.tolerance = instance.workload->tolerance(instance.expected);
    } catch (const NoReference& reason) {
      outcome_.check.doubt = reason.what();
    }
    instance.frozen = std::make_unique<FrozenInputs>(instance.workload->inputs());
  }
  streams_.synchronize();
}

bool StreamVisit::verify() {
  const std::vector<bool> none(instances_.size(), false);
  // Twice: the first loads code, and the second tells how long the host takes.
  if (!is_right_with(none) || !is_right_with(none)) return false;
  look_whether_it_repeats();
  for (int i = 1; i < setup_.count; ++i) launch_checked(i, 0);
  streams_.synchronize();
  for (std::size_t i = 1; i < instances_.size(); ++i) {
    const Instance& instance = instances_[i];
    if (!is_right(instance, instance.alone, instance.alone_copies.get(),
                  "instance " + std::to_string(i) + ", launched after the others"))
      return false;
  }
  for (const std::vector<bool>& delayed : delay_patterns(setup_.count))
    if (!is_right_with(delayed)) return false;
  if (!has_no_side_races()) return false;
  for (Instance& instance : instances_) instance.frozen.reset();
  return true;
}

/// A fork-join, waited for.
void StreamVisit::launch_all(const StreamLaunch& launch) {
  streams_.run(launch, std::vector<bool>(instances_.size(), false), 0);
  streams_.work_for(-1, false);
  streams_.synchronize();
}

void StreamVisit::look_whether_it_repeats() {
  if (!is_first_visit_) return;
  const auto results = [this] {
    Tensors all;
    for (const Instance& instance : instances_)
      for (const at::Tensor& result : instance.own.results()) all.push_back(result);
    return all;
  };
  outcome_.repeats = repeatability(results(), [&] {
    launch_all([this](int i, int stream) { launch_checked(i, stream); });
    return results();
  });
}

bool StreamVisit::has_no_side_races() {
  const Instance& first = instances_.front();
  if (first.expected.empty()) return true;
  first.frozen->restore(c10::cuda::getCurrentCUDAStream());
  streams_.work_for(-1, false);
  const RaceSubject subject{
      [&first] { return first.workload->prepare(); }, first.workload->inputs(),
      [&first](const Tensors& results) {
        return first.judgement->check_as_before(*first.workload, results, first.expected).mistake;
      }};
  outcome_.check.mistake = find_races(site_, subject);
  return outcome_.check.mistake.empty();
}

/// One fork-join whose results are read on the stream that it is joined into, as soon as that may.
bool StreamVisit::is_right_with(const std::vector<bool>& delayed) {
  streams_.work_for(-1, false);
  const cudaStream_t main = c10::cuda::getCurrentCUDAStream();
  for (Instance& instance : instances_) {
    instance.frozen->spoil(main);
    if (instance.own_copies) instance.own_copies->poison();
  }
  const double begin_s = device_.now_s();
  streams_.run([this](int i, int stream) { launch_checked(i, stream); }, delayed,
               std::clamp(kDelayPerEnqueue * enqueue_s_, kDelayMin_s, kDelayMax_s));
  const std::string late = list_of(delayed);
  if (late.empty()) enqueue_s_ = device_.now_s() - begin_s;
  streams_.work_for(-1, false);
  std::vector<Prepared> seen;
  for (const Instance& instance : instances_) {
    Tensors results;
    for (const at::Tensor& result : instance.own.results()) results.push_back(result.clone());
    seen.emplace_back().results = [results] { return results; };
  }
  streams_.synchronize();
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const std::string which =
        "instance " + std::to_string(i) +
        (late.empty() ? "" : ", a race between streams, of which these were delayed: " + late);
    if (!is_right(instances_[i], seen[i], instances_[i].own_copies.get(), which)) return false;
  }
  return true;
}

/// The results of the last timed launches; operators that change their inputs are launched afresh.
bool StreamVisit::verify_again() {
  streams_.synchronize();
  streams_.work_for(-1, false);
  if (instances_.front().workload->is_mutating()) {
    place(kVerificationBlock);
    for (Instance& instance : instances_)
      instance.frozen = std::make_unique<FrozenInputs>(instance.workload->inputs());
    return is_right_with(std::vector<bool>(instances_.size(), false));
  }
  if (!are_right("measured")) return false;
  for (std::size_t i = 1; i < instances_.size(); ++i) {
    const Instance& instance = instances_[i];
    if (!is_right(instance, instance.alone, instance.alone_copies.get(),
                  "instance " + std::to_string(i) + ", measured alone"))
      return false;
  }
  return true;
}

/// Inputs at the first block's places, and what is expected of them, are others from here on.
void StreamVisit::change_inputs() {
  for (Instance& instance : instances_) {
    const std::int64_t seed = other_seed(instance.seed);
    instance.workload->use_seed(problem_seed(request_.subject, std::uint64_t(seed)));
    instance.judgement = std::make_unique<Judgement>(
        [this, seed] { return make_instance(request_.subject, device_, true, seed); });
  }
  place(kFirstBlock);
  for (Instance& instance : instances_) instance.expected = reference_of(instance);
}

/// Other values where timed launches had theirs, for the very instances that were timed: what one
/// kept from before, by whatever key, is not its result (as in visit.cpp).
bool StreamVisit::verify_other_inputs() {
  const bool is_unknown = std::ranges::any_of(
      instances_, [](const Instance& instance) { return instance.expected.empty(); });
  if (!is_first_visit_ || is_unknown) return true;
  begin_("verify other inputs");
  for (Instance& instance : instances_) {
    instance.expected.clear();
    instance.frozen.reset();
  }
  const StreamLaunch as_timed = [this](int i, int stream) { launch(i, stream); };
  place(kFirstBlock);  // the launch before is at this place, with the timed values
  launch_all(as_timed);
  change_inputs();
  // Results too lie where they lay, and are not there yet.
  device_.poison_allocations(true);
  try {
    place(kFirstBlock);
    launch_all(as_timed);
  } catch (...) {
    device_.poison_allocations(false);
    throw;
  }
  device_.poison_allocations(false);
  return are_right("on other inputs than the timed ones");
}

/// What each instance's last launch on its own stream gave.
bool StreamVisit::are_right(const std::string& when) {
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const Instance& instance = instances_[i];
    if (!is_right(instance, instance.own, instance.own_copies.get(),
                  "instance " + std::to_string(i) + ", " + when))
      return false;
  }
  return true;
}

Check StreamVisit::checked(const Instance& instance, const Tensors& results) {
  const Check found = instance.judgement->check(*instance.workload, results, instance.expected);
  outcome_.is_widened |= instance.judgement->has_widened();
  return found;
}

bool StreamVisit::is_right(const Instance& instance, const Prepared& prepared,
                           const HostCopies* copies, const std::string& which) {
  if (instance.expected.empty()) return true;
  const Tensors results = prepared.results();
  Check found = checked(instance, results);
  if (found.mistake.empty() && copies != nullptr)
    found = checked(instance, copies->received(results));
  Check& worst = outcome_.check;
  worst.error_rel_l2 = std::max(worst.error_rel_l2, found.error_rel_l2);
  worst.error_max_abs = std::max(worst.error_max_abs, found.error_max_abs);
  worst.error_max_ulp = std::max(worst.error_max_ulp, found.error_max_ulp);
  if (!found.doubt.empty()) worst.doubt = found.doubt;
  if (!found.mistake.empty()) worst.mistake = which + ": " + found.mistake;
  return found.mistake.empty();
}

}  // namespace plumbline
