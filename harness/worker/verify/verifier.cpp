#include "worker/verify/verifier.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "backends/no_reference.h"
#include "worker/verify/repeatability.h"
#include "worker/verify/result_kind.h"
#include "worker/verify/tensor_memory.h"
#include "worker/verify/visit_failure.h"

namespace plumbline {
namespace {

/// Inputs that decide whether a marginal mistake is real.
constexpr int kOtherInputs = 4;

[[noreturn]] void fail(const std::string& which, const std::string& mistake) {
  throw VisitFailure{Status::wrong, which + (which.empty() ? "" : ": ") + mistake};
}

}  // namespace

Verifier::Verifier(VisitSubject& subject, Device& device, KeptResults& kept,
                   VerificationExtent extent, Begin begin, MeasureAnswer& answer)
    : subject_(subject),
      device_(device),
      kept_(kept),
      extent_(std::move(extent)),
      begin_(std::move(begin)),
      answer_(answer) {}

void Verifier::before_timing() {
  begin("verify");
  if (extent_.launches_before) subject_.require_timeable();
  if (subject_.has_streams() || extent_.launches_before) subject_.place(kVerificationBlock);
  if (subject_.has_streams()) expect();
  if (!extent_.launches_before) return;
  launch_poisoned();
  require_results_written();
  judge_first();
  check_bounds();  // before a launch elsewhere
  look_whether_it_repeats();
  look_at_parts_of_the_batch();
  look_for_races();
  check_bounds();
  if (!subject_.has_streams()) expect_nothing();
}

void Verifier::require_results_written() {
  if (subject_.has_streams()) return;
  const Workload& workload = subject_.instances().front().workload();
  require_written(subject_.results(), workload.inputs(), workload.may_return_inputs());
}

/// Wrong results may be incomplete ones. Further launches show that.
void Verifier::judge_first() {
  try {
    judge_first_results();
  } catch (const VisitFailure&) {
    if (subject_.has_streams()) throw;
    require_complete(device_, [this] {
      subject_.place(kVerificationBlock);
      launch_poisoned();
      return subject_.results();
    });
    throw;
  }
}

/// Expected results are computed after the launch: it cannot have found them in memory. Inputs that
/// a launch changes are made again for it.
void Verifier::judge_first_results() {
  if (subject_.has_streams() || !is_mutating()) return subject_.judge_results(judge(), "");
  Instance& instance = subject_.instances().front();
  Tensors results = subject_.results();
  for (at::Tensor& result : results) result = result.clone();
  subject_.place(kVerificationBlock);
  judge()(instance, results, "");
}

void Verifier::after_timing() {
  begin("verify again");
  answer_.plan = subject_.plan();
  if (!subject_.has_streams()) {
    subject_.judge_timed(judge());
    settle_margin();
  } else {
    judge_streams();
    verify_other_inputs();
  }
}

void Verifier::judge_streams() {
  if (is_mutating()) {  // timed launches changed their inputs
    subject_.place(kVerificationBlock);
    launch_poisoned();
    subject_.judge_results(judge(), "");
  } else {
    subject_.judge_results(judge(), extent_.timed_as);
  }
}

void Verifier::begin(std::string_view phase) {
  phase_ = phase;
  begin_(phase);
}

/// For cases with streams, all parts belong to the phase `verify`.
void Verifier::begin_part(std::string_view phase) {
  if (!subject_.has_streams()) begin_(phase);
}

void Verifier::expect_nothing() {
  for (Instance& instance : subject_.instances()) instance.expect_nothing();
}

bool Verifier::is_expected() const {
  return std::ranges::none_of(subject_.instances(),
                              [](const Instance& instance) { return instance.expected().empty(); });
}

bool Verifier::is_mutating() const { return subject_.instances().front().workload().is_mutating(); }

void Verifier::expect() {
  for (Instance& instance : subject_.instances()) expect_of(instance);
}

void Verifier::expect_of(Instance& instance) {
  begin_part("verify reference");
  try {
    instance.expect(kept_);
    answer_.tolerance = instance.workload().tolerance(instance.expected());
  } catch (const NoReference& reason) {
    doubt_ = reason.what();
  }
  begin_part(phase_);
}

void Verifier::launch_poisoned() {
  const PoisonedAllocations poisoned(device_);
  subject_.prepare();
  answer_.plan = subject_.plan();  // also recorded for a WRONG case
  subject_.launch();
}

void Verifier::place_and_launch() {
  subject_.place(kFirstBlock);
  subject_.prepare();
  subject_.launch();
}

/// Launches on streams get a flag instead (kFlagGuardTouched).
void Verifier::check_bounds() {
  if (subject_.has_streams()) return;
  if (const std::string where = device_.overrun(); !where.empty())
    fail("", "the launch wrote out of bounds: " + where);
}

void Verifier::look_whether_it_repeats() {
  if (!extent_.is_first_visit) return;
  if (is_mutating() && !subject_.has_streams()) {
    subject_.place(kVerificationBlock);
    subject_.prepare();
    subject_.launch();
  }
  answer_.repeats = repeatability(subject_.results(), [this] {
    if (is_mutating()) {
      subject_.place(kVerificationBlock);
      subject_.prepare();
    }
    subject_.launch();
    return subject_.results();
  });
}

void Verifier::look_at_parts_of_the_batch() {
  Instance& instance = subject_.instances().front();
  if (!instance.is_batch_invariant()) return;
  if (subject_.has_streams())
    throw Unsupported("batch_invariant: it is checked without `stream`; measure streams apart");
  if (!extent_.is_first_visit) return;
  begin_part("verify batch");
  if (const std::string found = instance.batch_dependence(subject_.results()); !found.empty())
    fail("", found);
  begin_part("verify");
}

void Verifier::look_for_races() {
  if (extent_.has_races && is_expected()) {
    begin_part("verify races");
    if (is_mutating()) {
      subject_.place(kVerificationBlock);
      subject_.prepare();
    }
    subject_.look_for_races(judge());
  }
  begin_part("verify");
}

/// Puts other values at the places of the timed ones and launches the same implementation: results
/// that it kept from before are then wrong. Once per run, because the code does not change; so the
/// expected results are not kept.
void Verifier::verify_other_inputs() {
  if (!extent_.is_first_visit || !is_expected()) return;
  begin("verify other inputs");
  expect_nothing();
  place_and_launch();  // puts the previous launch at this place, with the timed values
  for (Instance& instance : subject_.instances()) instance.change_values();
  subject_.place(kFirstBlock);
  for (Instance& instance : subject_.instances()) instance.expect_reference();
  {
    const PoisonedAllocations poisoned(device_);  // results also lie where they lay
    place_and_launch();
  }
  const Judge judge = [this](Instance& instance, const Tensors& results, const std::string& which) {
    if (const std::string mistake = checked(instance, results).mistake; !mistake.empty())
      fail(which, mistake);
  };
  subject_.judge_results(judge, "on other inputs than the timed ones");
  check_bounds();
}

Judge Verifier::judge() {
  return [this](Instance& instance, const Tensors& results, const std::string& which) {
    if (instance.expected().empty() && !subject_.has_streams()) expect_of(instance);
    if (instance.expected().empty()) return;
    const Check check = checked(instance, results);
    const auto keep_worst = [](double& worst, double found) { worst = std::fmax(worst, found); };
    // The reported limit is the one that applied to the reported error.
    if (!(check.error_rel_l2 < answer_.error_rel_l2) && std::isfinite(check.allowed_rel_l2))
      answer_.tolerance = check.allowed_rel_l2;
    keep_worst(answer_.error_rel_l2, check.error_rel_l2);
    keep_worst(answer_.error_max_abs, check.error_max_abs);
    keep_worst(answer_.error_max_ulp, check.error_max_ulp);
    if (!check.doubt.empty()) doubt_ = check.doubt;
    ++judged_;
    needs_subnormals_ |= check.mistake.empty() && check.needs_subnormals;
    if (check.mistake.empty()) return;
    const std::string reference = instance.workload().reference_in_words();
    const std::string mistake =
        check.mistake + (reference.empty() ? "" : ", compared with " + reference);
    if (subject_.has_streams() || check.excess > kMarginal) fail(which, mistake);
    ++marginal_;
    marginal_mistake_ = mistake;
  };
}

/// Rounding takes results of a few inputs slightly beyond every useful bound. An implementation
/// that is less exact than necessary exceeds it on most inputs.
void Verifier::settle_margin() {
  if (marginal_ == 0) return;
  begin("verify other inputs");
  subject_.judge_others(kOtherInputs, judge());
  if (2 * marginal_ > judged_)
    fail("", marginal_mistake_ + "; so on " + std::to_string(marginal_) + " of " +
                 std::to_string(judged_) + " inputs");
  has_widened_ = true;
  answer_.tolerance *= kMarginal;
}

Check Verifier::checked(Instance& instance, const Tensors& results) {
  Check check = instance.check(results);
  has_widened_ |= instance.has_widened();
  return check;
}

}  // namespace plumbline
