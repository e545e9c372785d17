#include "worker/verify/judgement.h"

#include <c10/util/Exception.h>

#include "worker/verify/conditioning.h"

namespace plumbline {
namespace {

/// Of the case's own type, in which intermediate results may be rounded.
double share_of(const Workload& workload, const Tensors& expected) {
  return workload.tolerance(expected);
}

}  // namespace

Check Judgement::check_as_before(const Workload& workload, const Tensors& results,
                                 const Tensors& expected) const {
  const Allowance allowed{[&](at::ScalarType result) { return workload.bounds(expected, result); },
                          slack_};
  return check_results(workload.comparable(results), expected, allowed, workload.inputs());
}

Check Judgement::check(const Workload& workload, const Tensors& results, const Tensors& expected) {
  Check found = check_as_before(workload, results, expected);
  if (found.mistake.empty()) {
    has_widened_ |= !slack_.empty();
    return found;
  }
  while (!found.mistake.empty() && disturb(workload, expected))
    found = check_as_before(workload, results, expected);
  has_widened_ |= found.mistake.empty();
  return found;
}

/// False where there is nothing more to learn.
bool Judgement::disturb(const Workload& workload, const Tensors& expected) {
  const double share = share_of(workload, expected);
  if (share == 0 || disturbances_ == kDisturbances || !workload.can_be_disturbed()) return false;
  try {
    const std::unique_ptr<Workload> again = again_();
    again->make_inputs();
    const auto seed = std::uint64_t(disturbances_++);
    widen(expected, disturbed(share, seed, [&] { return again->reference(); }), share, slack_);
    return true;
  } catch (const std::exception&) {
    // No memory for it, or an operator that cannot be disturbed: the bounds stay as they are.
    disturbances_ = kDisturbances;
    return false;
  }
}

}  // namespace plumbline
