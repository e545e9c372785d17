#include "worker/verify/instance.h"

#include "backends/libtorch/libtorch.h"
#include "core/op/batch_choice.h"
#include "worker/verify/batch_invariance.h"
#include "worker/verify/conditioning.h"

namespace plumbline {
namespace {

/// Elements vary widely from one disturbance to another, and their slack is a multiple of what was
/// seen (conditioning.cpp): 64 times, or 16 times for 16-bit types. All elements together vary
/// little: with the operators of the reference, four times or once is enough.
constexpr double kSlackOfSameOperators = 1.0 / 16;

}  // namespace

Instance::Instance(const Case& subject, Device& device, bool is_cuda, std::int64_t run_seed)
    : subject_(subject),
      device_(device),
      is_cuda_(is_cuda),
      seed_(run_seed),
      workload_(make_workload(subject, device, is_cuda, run_seed)) {}

void Instance::expect(KeptResults& kept) {
  expected_ = kept.get(reference_key(subject_, seed_), device_, is_cuda_,
                       [this] { return in_float64([this] { return workload_->reference(); }); });
}

void Instance::expect_reference() {
  expected_ = in_float64([this] { return workload_->reference(); });
}

void Instance::use_seed(std::int64_t run_seed) {
  if (seed_ == run_seed) return;
  seed_ = run_seed;
  workload_->use_seed(problem_seed(subject_, std::uint64_t(seed_)));
  expected_.clear();
  slack_.clear();
  disturbances_ = 0;
}

void Instance::change_values() { use_seed(other_seed(seed_)); }

Check Instance::check_as_before(const Tensors& results) const {
  const Allowance allowed{
      .bounds = [this](at::ScalarType result) { return workload_->bounds(expected_, result); },
      .slack = slack_,
      .slack_together = workload_->has_operators_of_reference() ? kSlackOfSameOperators : 1,
      .may_be_narrower = workload_->may_be_narrower()};
  return check_results(workload_->comparable(results), expected_, allowed, workload_->inputs());
}

Check Instance::check_between(const Tensors& results, const Tensors& others) const {
  Tensors exact_others;
  for (const at::Tensor& other : workload_->comparable(others))
    exact_others.push_back(exact(other));
  const auto twice = [&](at::ScalarType result) {
    const Bounds once = workload_->bounds(exact_others, result);
    return Bounds{2 * once.rel_l2, 2 * once.element};
  };
  return check_results(workload_->comparable(results), exact_others, Allowance{twice},
                       workload_->inputs());
}

Check Instance::check(const Tensors& results) {
  Check found = check_as_before(results);
  while (!found.mistake.empty() && disturb()) found = check_as_before(results);
  has_widened_ |= found.mistake.empty() && !slack_.empty();
  return found;
}

/// False if a further disturbance gives no information.
bool Instance::disturb() {
  // For the case's own type, in which intermediate results may be rounded.
  const double share = workload_->rounding(expected_);
  if (share == 0 || disturbances_ == kDisturbances || !workload_->can_be_disturbed()) return false;
  try {
    // A launch may have changed the inputs.
    const std::unique_ptr<Workload> again = make_workload(subject_, device_, is_cuda_, seed_);
    again->make_inputs();
    const auto seed = std::uint64_t(disturbances_++);
    widen(expected_, disturbed(share, seed, [&] { return again->reference(); }), share, slack_);
    return true;
  } catch (const std::exception&) {
    // No memory, or an operator that cannot be disturbed: keep the bounds.
    disturbances_ = kDisturbances;
    return false;
  }
}

bool Instance::is_batch_invariant() const { return !batch_param(subject_.params).empty(); }

std::string Instance::batch_dependence(const Tensors& results) const {
  Tensors kept;  // code may use the memory of its results again
  for (const at::Tensor& result : results) kept.push_back(result.clone());
  return plumbline::batch_dependence(
      {subject_, *workload_, kept}, device_,
      [this](const Case& part) { return make_workload(part, device_, is_cuda_, seed_); });
}

std::string Instance::race(const RaceSite& site) const {
  return find_races(site, {[this] { return workload_->prepare(); }, workload_->inputs(),
                           [this](const Tensors& results) {
                             const Check check = check_as_before(results);
                             return check.excess > kMarginal ? check.mistake : "";
                           }});
}

}  // namespace plumbline
