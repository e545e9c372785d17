#include "worker/visit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "core/op/input_data.h"
#include "core/op/ranks.h"
#include "core/op/stream_setup.h"
#include "core/run/metric.h"
#include "device/random.h"
#include "measure/blocks.h"
#include "measure/flags.h"
#include "measure/readings.h"
#include "measure/scrutiny.h"
#include "measure/serving.h"
#include "worker/session/process_state.h"
#include "worker/subjects/plain_case.h"
#include "worker/subjects/stream_case.h"
#include "worker/verify/verifier.h"
#include "worker/verify/visit_failure.h"

namespace plumbline {
namespace {

/// Why a visit has no metric, or that nothing was requested from this profile.
std::string absences(const std::map<std::string, std::string>& absent) {
  std::string text;
  for (const auto& [metric, reason] : absent)
    text += (text.empty() ? "" : "; ") + metric + ": " + reason;
  return text.empty() ? "none of the metrics asked for is measured in this profile" : text;
}

/// The cause if every block of every metric was set aside; "" if one counts.
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

/// Ranks that launch together in this worker. Those of a network are processes of their own.
int ranks_here(const Case& subject) { return subject.declaration ? 1 : ranks_of(subject.params); }

std::unique_ptr<VisitSubject> make_subject(Session& session, const MeasureRequest& request) {
  const std::string axis = stream_axis_of(request.subject.params);
  const int ranks = ranks_here(request.subject);
  if (ranks > 1 && !axis.empty())
    throw Unsupported(axis + ": a launch of several ranks has a stream on each of them");
  if (ranks > 1 && is_of_plain_cases(session.profile()) && session.plain_launches() == 0)
    throw Unsupported("cases with several ranks have no metrics in the profile '" +
                      std::string(name_of(session.profile())) + "'");
  if (Counters* const counters = session.counters())
    if (const std::string reason = counters->no_counters(); !reason.empty())
      throw Unsupported("counters: " + reason);  // before work for nothing
  session.use_ranks(ranks);
  if (axis.empty()) return std::make_unique<PlainCase>(session, request);
  if (!session.is_cuda()) throw Unsupported(axis + ": a CPU has no streams; --device cuda has");
  return std::make_unique<StreamCase>(session, request);
}

/// A run verifies once what stays the same: the code in its first round, and steps needed once per
/// case in the first profile that measures it. The behaviour of streams may change: every visit
/// verifies it, except under a tool that changes it.
VerificationExtent extent_of(const Session& session, const MeasureRequest& request,
                             bool has_streams) {
  const bool is_measured = session.plain_launches() == 0;
  const auto profiles = profiles_for(request.policy.metrics, session.is_cuda() ? "cuda" : "cpu");
  VerificationExtent extent;
  extent.launches_before = has_streams ? is_measured : request.round == 0;
  // Delays of the check's own stream do not reach other ranks.
  extent.has_races = has_streams || (session.is_cuda() && session.profile() == Profile::timing &&
                                     ranks_here(request.subject) == 1);
  extent.is_first_visit = request.round == 0 && is_measured &&
                          (profiles.empty() || profiles.front() == session.profile());
  if (has_streams) extent.timed_as = is_measured ? "measured" : "launched";
  return extent;
}

/// A visit in progress: its phases, its steps and its answer.
class Visit {
 public:
  Visit(Session& session, const MeasureRequest& request, const OnPhase& on_phase,
        MeasureAnswer& answer)
      : session_(session), request_(request), on_phase_(on_phase), answer_(answer) {
    begin("prepare");
    subject_ = make_subject(session, request);
    record_subject();
    require_room();
  }

  void run() {
    Verifier verifier(
        *subject_, session_.device(), session_.kept_results(),
        extent_of(session_, request_, subject_->has_streams()),
        [this](std::string_view phase) { begin(phase); }, answer_);
    verifier.before_timing();
    begin("measure");
    const VisitSamples samples = subject_->sample(verifier.judge());
    verifier.after_timing();
    if (!samples.novelty.empty()) throw VisitFailure{Status::wrong, samples.novelty};
    finish(samples, verifier);
    begin("");
  }

 private:
  void begin(std::string_view phase) {
    const double now_s = session_.device().now_s();
    if (!phase_.empty()) answer_.spent_s[phase_] += now_s - phase_begin_s_;
    phase_ = phase;
    phase_begin_s_ = now_s;
    if (!phase.empty()) on_phase_(phase);
  }

  void record_subject() {
    const auto instances = subject_->instances();
    const Workload& workload = instances.front().workload();
    answer_.files = workload.files();
    std::ranges::copy(session_.extension_files(), std::back_inserter(answer_.files));
    record_cost();
    answer_.age_s = session_.device().age_s();
  }

  /// The operations of a network are counted when it is first bound.
  void record_cost() {
    const auto instances = subject_->instances();
    const Workload& workload = instances.front().workload();
    answer_.flops = double(instances.size()) * workload.flops();
    answer_.bytes = double(instances.size()) * workload.bytes();
  }

  /// Throws Unsupported for a case that cannot fit. An earlier worker may have kept the expected
  /// results; then this visit makes no copies of its inputs.
  void require_room() {
    const auto instances = subject_->instances();
    const std::int64_t seed =
        contents_seed(request_.seed, request_.draw, contents_of(ContentsOf::verification, 0));
    const bool has_copies = !subject_->has_streams() && request_.round == 0 &&
                            !session_.kept_results().knows(reference_key(request_.subject, seed));
    const double room_bytes = session_.room_bytes();
    const std::string lack = lack_of_room(instances.front().workload().least_memory(room_bytes),
                                          instances.size(), has_copies, room_bytes);
    if (!lack.empty()) throw Unsupported(lack);
  }

  void finish(const VisitSamples& samples, const Verifier& verifier) {
    if (!verifier.doubt().empty()) {
      answer_.status = Status::unverified;
      answer_.reason = verifier.doubt();
    }
    record_cost();
    std::vector<MeasuredMetric> measured = samples.measurements;
    add_compile_time(measured);
    add_phases(measured);
    answer_.absent = samples.absent;
    add_serving(measured);
    add_accuracy(measured);
    // Reading the state takes milliseconds.
    answer_.metrics = readings_of(std::move(measured),
                                  samples.state ? *samples.state : session_.device().state());
    const auto flags = subject_->instances().front().workload().flags();
    const bool has_same_inputs = input_data(request_.subject.params) == InputData::zeros;
    for (MeasuredMetric& reading : answer_.metrics) {
      if (verifier.has_widened()) reading.flags.emplace_back(kFlagWidened);
      reading.flags.insert(reading.flags.end(), flags.begin(), flags.end());
      if (has_same_inputs) reading.flags.emplace_back(kFlagSameInputs);
      if (verifier.needs_subnormals()) reading.flags.emplace_back(kFlagSubnormal);
    }
    answer_.kernels = samples.kernels;
    if (answer_.metrics.empty()) throw VisitFailure{Status::unsupported, absences(samples.absent)};
    if (const std::string cause = cause_of_all(samples.measurements); !cause.empty())
      throw VisitFailure{Status::throttled, cause};
    answer_.spent_s["launch"] = samples.launching_s;
    answer_.spent_s["load"] = samples.loading_s;
    answer_.spent_s["verify repeats"] = samples.repeating_s;
  }

  void add_compile_time(std::vector<MeasuredMetric>& measured) {
    const double seconds = subject_->instances().front().workload().compile_s();
    if (!(seconds > 0) || measured.empty() || session_.profile() != Profile::timing) return;
    add_metric(measured, "compile_time", {&seconds, 1});
  }

  /// A metric of one block, which no outside cause sets aside.
  static void add_metric(std::vector<MeasuredMetric>& measured, const std::string& name,
                         std::span<const double> samples) {
    MeasuredMetric& metric = measured.emplace_back();
    metric.metric = name;
    add_block(metric, samples, 0);
    metric.block_causes.emplace_back();
  }

  /// Latencies and throughput of the requests that the suite declares.
  void add_serving(std::vector<MeasuredMetric>& measured) {
    if (measured.empty() || session_.profile() != Profile::timing) return;
    const auto serving = subject_->instances().front().workload().serving();
    if (!serving) return;
    begin("serve");
    const Served served = serve(
        session_.device(), [this] { subject_->launch(); }, *serving,
        random_bits(std::uint64_t(request_.seed), request_.draw));
    for (const auto& [metric, value] : served.values) add_metric(measured, metric, {&value, 1});
    answer_.absent.insert(served.absent.begin(), served.absent.end());
  }

  /// What a network learns in the training that its suite declares. The seed is the round: the same
  /// for every case and in every run, so that techniques can be compared in pairs.
  void add_accuracy(std::vector<MeasuredMetric>& measured) {
    Workload& workload = subject_->instances().front().workload();
    if (measured.empty() || session_.profile() != Profile::timing || !workload.has_training())
      return;
    begin("train");
    try {
      const Workload::Training found = workload.train(request_.round);
      add_metric(measured, "accuracy", {&found.accuracy, 1});
      if (!found.losses.empty()) add_metric(measured, "training_loss", found.losses);
    } catch (const Unsupported& reason) {
      answer_.absent["accuracy"] = reason.what();
    }
  }

  /// The time that each phase of a network's step takes, in further steps.
  void add_phases(std::vector<MeasuredMetric>& measured) {
    if (measured.empty() || session_.profile() != Profile::timing) return;
    constexpr int kBlocks = 5, kMostSteps = 20;
    constexpr double kBlock_s = 0.05;
    Workload& workload = subject_->instances().front().workload();
    if (!workload.has_phases()) return;
    const double step_s = std::ranges::min(measured.front().samples.values());
    const int steps = std::clamp(int(kBlock_s / step_s), 1, kMostSteps);
    const BlockPlan plan{.timer = Timer::host_clock, .samples = steps};
    const std::size_t before = measured.size();
    for (int i = 0; i < kBlocks; ++i)
      for (const auto& [phase, seconds] : workload.phases_of(
               [&] { session_.device().time_block([this] { subject_->launch(); }, plan); })) {
        auto metric = std::ranges::find(measured.begin() + std::ptrdiff_t(before), measured.end(),
                                        phase + "_time", &MeasuredMetric::metric);
        if (metric == measured.end()) {
          metric = measured.insert(metric, MeasuredMetric{});
          metric->metric = phase + "_time";
        }
        add_block(*metric, seconds, 0);
        metric->block_causes.emplace_back();
      }
  }

  Session& session_;
  const MeasureRequest& request_;
  const OnPhase& on_phase_;
  MeasureAnswer& answer_;
  std::unique_ptr<VisitSubject> subject_;  // frees what it holds on the device
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

/// Results that are computed when they are read took no time in the timed launches.
void refuse_late_computing(const ProcessState& before, const ProcessState& after,
                           MeasureAnswer& answer) {
  if (!has_samples(answer.status)) return;
  for (const auto& [name, what] :
       {std::pair{kMemoryFaultHandlers[0], "it handles memory faults (SIGSEGV)"},
        {kMemoryFaultHandlers[1], "it handles memory faults (SIGBUS)"},
        {kFunctionCallbacks, "it is called back by LibTorch's functions"}}) {
    if (before.at(std::string(name)) == after.at(std::string(name))) continue;
    answer.status = Status::wrong;
    answer.reason = std::string(what) +
                    ", so that it may compute its results when they are read, outside of timed "
                    "launches";
    answer.metrics.clear();
  }
}

}  // namespace

VisitResult visit(Session& session, const MeasureRequest& request, const OnPhase& on_phase) {
  VisitResult result;
  const SignalHandlers handlers;
  const ProcessState before = process_state(session.stream());
  std::unique_ptr<Visit> body;
  try {
    body = std::make_unique<Visit>(session, request, on_phase, result.answer);
    body->run();
    session.settle();  // a fault left on a stream belongs to the case that left it
  } catch (...) {
    const VisitFailure ended = meaning_of(std::current_exception());
    result.answer.status = ended.status;
    result.answer.reason = ended.reason;
    result.answer.metrics.clear();
    result.has_lost_device = has_lost_device(session);
  }
  if (result.has_lost_device)
    static_cast<void>(body.release());  // its destructors would only fail again
  body.reset();
  handlers.put_back();
  const ProcessState after = process_state(session.stream());
  result.answer.left_behind = changes(before, after);
  refuse_late_computing(before, after, result.answer);
  return result;
}

}  // namespace plumbline
