#include "worker/visit.h"

#include <cmath>

#include "backends/libtorch/workspaces.h"
#include "core/metric.h"
#include "core/stream_setup.h"
#include "measure/flags.h"
#include "measure/sampler.h"
#include "worker/plain_launches.h"
#include "worker/readings.h"
#include "worker/stock_visit.h"
#include "worker/stream_visit.h"
#include "worker/verify/judgement.h"
#include "worker/verify/repeatability.h"
#include "worker/visit_failure.h"
#include "worker/workloads/workload.h"

namespace plumbline {
namespace {

std::uint64_t placement_key(const MeasureRequest& request, std::int64_t placement) {
  return stable_hash(std::to_string(request.seed) + '\n' + request.subject.id + '\n' +
                     std::to_string(request.round) + '\n' + std::to_string(placement));
}

/// Why a visit has no metric, or that nothing was asked of this profile.
std::string absences(const std::map<std::string, std::string>& absent) {
  std::string text;
  for (const auto& [metric, reason] : absent)
    text += (text.empty() ? "" : "; ") + metric + ": " + reason;
  return text.empty() ? "none of the metrics asked for is measured in this profile" : text;
}

/// The cause for which every block of every metric was set aside; "" where one counts.
std::string cause_of_all(const std::vector<MeasuredMetric>& measurements) {
  std::string cause;
  std::size_t blocks = 0;
  for (const MeasuredMetric& measurement : measurements)
    for (const std::string& of_block : measurement.block_causes) {
      if (of_block.empty()) return "";
      cause = of_block;
      ++blocks;
    }
  return blocks == 0 ? "" : "all " + std::to_string(blocks) + " blocks were set aside: " + cause;
}

class Visit {
 public:
  Visit(Session& session, const MeasureRequest& request, const OnPhase& on_phase,
        MeasureAnswer& answer)
      : session_(session),
        device_(session.device()),
        plain_launches_(session.plain_launches()),
        request_(request),
        on_phase_(on_phase),
        answer_(answer),
        judgement_(of_inputs(request.seed)) {
    begin("prepare");
    if (session.is_cuda() && !stream_axis_of(request.subject.params).empty()) {
      open_streams();
      return;
    }
    workload_ = make_workload(request.subject, device_, session.is_cuda(), request.seed);
    record_files(workload_->files());
    answer.flops = workload_->flops();
    answer.bytes = workload_->bytes();
    answer.age_s = device_.age_s();
  }

  void run() {
    if (instances_) return run_instances();
    begin("verify");
    verify();
    begin("measure");
    const VisitSamples samples =
        sample([this](std::int64_t placement) { return place(placement); });
    begin("verify again");
    verify_again();
    verify_other_inputs();
    finish(samples);
  }

  VisitSamples sample(const PlaceSubject& at) {
    if (plain_launches_ > 0) return launch_plainly(device_, at, plain_launches_);
    if (session_.profile() != Profile::stock || !session_.is_cuda())
      return sample_visit(device_, at, request_.policy, workload_->is_host_timed());
    const bool is_mutating = workload_->is_mutating();  // replays change its inputs again and again
    const StockSubject subject{at, [this] { prepared_.clear(); },
                               [this, is_mutating] {
                                 if (!is_mutating) check();
                               }};
    return sample_stock(device_, subject, request_.policy, [this] { return device_.energy_j(); });
  }

  void finish(const VisitSamples& samples) {
    if (!doubt_.empty()) answer_ = with_status(Status::unverified, doubt_);
    // Asking takes milliseconds.
    answer_.metrics =
        readings_of(samples.measurements, samples.state ? *samples.state : device_.state());
    if (is_widened_)
      for (MeasuredMetric& reading : answer_.metrics) reading.flags.emplace_back(kFlagWidened);
    answer_.absent = samples.absent;
    answer_.kernels = samples.kernels;
    if (answer_.metrics.empty()) throw VisitFailure{Status::unsupported, absences(samples.absent)};
    if (const std::string cause = cause_of_all(samples.measurements); !cause.empty())
      throw VisitFailure{Status::throttled, cause};
    answer_.spent_s["launch"] = samples.launching_s;
    begin("");
  }

  /// Everything on the device that the visit held goes back to the arena.
  void release() noexcept {
    if (instances_) instances_->release();
    prepared_ = {};
    expected_.clear();
    workload_.reset();
  }

 private:
  void record_files(std::vector<FileRef> files) {
    answer_.files = std::move(files);
    const auto& extensions = session_.extension_files();
    answer_.files.insert(answer_.files.end(), extensions.begin(), extensions.end());
  }

  void open_streams() {
    StreamDevice& streams = session_.streams();
    if (session_.profile() == Profile::stock && plain_launches_ == 0)
      throw Unsupported("cases with streams have no metrics in the profile 'stock'");
    if (streams.is_traced() != (session_.profile() == Profile::trace))
      throw Unsupported("CUPTI is not to be had: no time stamps of what ran on which stream");
    instances_ = std::make_unique<StreamVisit>(
        session_.race_site(), streams, session_.kept_results(), request_,
        [this](std::int64_t placement) { return placement_key(request_, placement); },
        [this](std::string_view phase) { begin(phase); }, is_first_visit());
    answer_.age_s = device_.age_s();
  }

  void run_instances() {
    const StreamOutcome outcome =
        plain_launches_ > 0 ? instances_->launch_plainly(plain_launches_) : instances_->run();
    answer_.flops = outcome.flops;
    answer_.bytes = outcome.bytes;
    record_files(outcome.files);
    answer_.plan = outcome.plan;
    answer_.tolerance = outcome.tolerance;
    answer_.repeats = outcome.repeats;
    answer_.error_rel_l2 = outcome.check.error_rel_l2;
    answer_.error_max_abs = outcome.check.error_max_abs;
    answer_.error_max_ulp = outcome.check.error_max_ulp;
    if (!outcome.check.mistake.empty()) throw VisitFailure{Status::wrong, outcome.check.mistake};
    doubt_ = outcome.check.doubt;
    is_widened_ = outcome.is_widened;
    finish(outcome.samples);
  }

  /// Once per run: what an implementation does with streams does not change from round to round.
  void look_for_races() {
    if (!session_.is_cuda() || session_.profile() != Profile::timing || request_.round > 0 ||
        expected_.empty())
      return;
    begin("verify races");
    if (workload_->is_mutating()) place(kVerificationBlock);
    const RaceSubject subject{
        [this] { return workload_->prepare(); }, workload_->inputs(),
        [this](const Tensors& results) {
          return judgement_.check_as_before(*workload_, results, expected_).mistake;
        }};
    if (const std::string race = find_races(session_.race_site(), subject); !race.empty())
      throw VisitFailure{Status::wrong, race};
  }

  void begin(std::string_view phase) {
    const double now_s = device_.now_s();
    if (!phase_.empty()) answer_.spent_s[phase_] += now_s - phase_begin_s_;
    phase_ = phase;
    phase_begin_s_ = now_s;
    if (!phase.empty()) on_phase_(phase);
  }

  MeasureAnswer with_status(Status status, std::string reason) const {
    MeasureAnswer answer = answer_;
    answer.status = status;
    answer.reason = std::move(reason);
    return answer;
  }

  Launch launch_of(const Prepared& prepared) const {
    return [prepared] {
      prepared.clear();  // the launch before: its results' places are this one's
      prepared.launch();
    };
  }

  Launch place(std::int64_t placement) {
    prepared_ = {};
    workload_->drop_inputs();
    drop_workspaces();
    device_.place(placement_key(request_, placement));
    workload_->make_inputs();
    prepared_ = workload_->prepare();
    return launch_of(prepared_);
  }

  void verify() {
    device_.place(placement_key(request_, kVerificationBlock));
    workload_->make_inputs();
    begin("verify reference");
    try {
      expected_ =
          session_.kept_results().get(reference_key(request_.subject, request_.seed), device_,
                                      session_.is_cuda(), [this] { return reference(); });
    } catch (const NoReference& reason) {
      doubt_ = reason.what();
    }
    answer_.tolerance = doubt_.empty() ? workload_->tolerance(expected_) : kUnknown;
    begin("verify");
    if (request_.round > 0) return;  // the first round checked the same code on the same inputs
    launch_poisoned();
    check();
    check_bounds();  // before a launch elsewhere
    look_whether_it_repeats();
    look_for_races();
    begin("verify");
    check_bounds();
  }

  Tensors reference() {
    return in_float64([this] { return workload_->reference(); });
  }

  void check_bounds() {
    if (const std::string where = device_.overrun(); !where.empty())
      throw VisitFailure{Status::wrong, "the launch wrote out of bounds: " + where};
  }

  void look_whether_it_repeats() {
    if (!is_first_visit()) return;
    const bool is_mutating = workload_->is_mutating();
    answer_.repeats = repeatability(prepared_.results(), [&] {
      if (is_mutating)
        place(kVerificationBlock);
      else
        prepared_.clear();
      device_.begin_launch();
      prepared_.launch();
      device_.synchronize();
      return prepared_.results();
    });
  }

  /// Of the case in this run, in the first profile that measures it: what its code does is the same
  /// ever after.
  bool is_first_visit() const {
    const auto profiles =
        profiles_for(request_.policy.metrics, session_.is_cuda() ? "cuda" : "cpu");
    return request_.round == 0 && plain_launches_ == 0 &&
           (profiles.empty() || profiles.front() == session_.profile());
  }

  /// Other values where timed launches had theirs, for the very implementation that was timed: what
  /// it kept from before, by whatever key, is not their result. Once per run, as the code is the
  /// same; so nobody needs the expected results again.
  void verify_other_inputs() {
    if (!is_first_visit() || expected_.empty()) return;
    begin("verify other inputs");
    expected_.clear();
    const auto timed_plan = answer_.plan;
    place(kFirstBlock);  // the launch before is at this place, with the timed values
    launch_once();
    workload_->use_seed(problem_seed(request_.subject, std::uint64_t(other_seed(request_.seed))));
    judgement_ = of_inputs(other_seed(request_.seed));
    place(kFirstBlock);
    expected_ = reference();
    // Results too lie where they lay, and are not there yet.
    poisoned([this] {
      place(kFirstBlock);
      launch_once();
    });
    answer_.plan = timed_plan;
    if (const std::string mistake = checked().mistake; !mistake.empty())
      throw VisitFailure{Status::wrong, "on other inputs than the timed ones: " + mistake};
    check_bounds();
  }

  void launch_once() {
    answer_.plan = prepared_.plan;  // known of a WRONG case, too
    device_.begin_launch();
    prepared_.launch();
    device_.synchronize();
  }

  /// What `launch` allocates holds no result before.
  void poisoned(const std::function<void()>& launch) {
    device_.synchronize();
    device_.poison_allocations(true);
    try {
      launch();
    } catch (...) {
      device_.poison_allocations(false);
      throw;
    }
    device_.poison_allocations(false);
  }

  void launch_poisoned() {
    poisoned([this] {
      prepared_ = workload_->prepare();
      launch_once();
    });
  }

  /// The results of the last timed launch; operators that change their inputs are launched afresh.
  void verify_again() {
    answer_.plan = prepared_.plan;
    if (workload_->is_mutating()) {
      place(kVerificationBlock);
      launch_poisoned();
    }
    check();
  }

  /// Of the inputs that make_inputs() makes from that run's seed.
  Judgement of_inputs(std::int64_t seed) {
    return Judgement([this, seed] {
      return make_instance(request_.subject, device_, session_.is_cuda(), seed);
    });
  }

  Check checked() {
    const Check check = judgement_.check(*workload_, prepared_.results(), expected_);
    is_widened_ |= judgement_.has_widened();
    return check;
  }

  void check() {
    if (expected_.empty()) return;
    const Check check = checked();
    const auto keep_worst = [](double& worst, double found) { worst = std::fmax(worst, found); };
    keep_worst(answer_.error_rel_l2, check.error_rel_l2);
    keep_worst(answer_.error_max_abs, check.error_max_abs);
    keep_worst(answer_.error_max_ulp, check.error_max_ulp);
    if (!check.mistake.empty()) throw VisitFailure{Status::wrong, check.mistake};
    if (!check.doubt.empty()) doubt_ = check.doubt;
  }

  Session& session_;
  Device& device_;
  int plain_launches_;  // 0: measure
  const MeasureRequest& request_;
  const OnPhase& on_phase_;
  MeasureAnswer& answer_;
  Judgement judgement_;
  bool is_widened_ = false;
  std::unique_ptr<Workload> workload_;
  std::unique_ptr<StreamVisit> instances_;  // of a case with streams
  Prepared prepared_;
  Tensors expected_;
  std::string doubt_;
  std::string phase_;
  double phase_begin_s_ = 0;
};

bool has_lost_device(Session& session) {
  try {
    session.settle();
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace

VisitResult visit(Session& session, const MeasureRequest& request, const OnPhase& on_phase) {
  VisitResult result;
  std::unique_ptr<Visit> body;
  try {
    body = std::make_unique<Visit>(session, request, on_phase, result.answer);
    body->run();
    session.settle();  // a fault that a launch left behind on a stream is its own case's
  } catch (...) {
    const VisitFailure ended = meaning_of(std::current_exception());
    result.answer.status = ended.status;
    result.answer.reason = ended.reason;
    result.answer.metrics.clear();
    result.has_lost_device = has_lost_device(session);
  }
  if (body && !result.has_lost_device) body->release();
  if (result.has_lost_device)
    static_cast<void>(body.release());  // its destructors would only fail again
  return result;
}

}  // namespace plumbline
