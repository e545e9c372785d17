/// Results of a workload against its expected ones, as both kinds of visit judge them.
#pragma once

#include <functional>
#include <memory>

#include "worker/verify/verification.h"
#include "worker/workloads/workload.h"

namespace plumbline {

/// Makes the workload anew, for the inputs that the expected results are of: those that a launch
/// had may be changed.
using MakeAgain = std::function<std::unique_ptr<Workload>()>;

class Judgement {
 public:
  explicit Judgement(MakeAgain again) : again_(std::move(again)) {}

  /// check_results() of what of the results is compared. Where there is a mistake, the bounds are
  /// widened by what rounding may do to this very problem (conditioning.h), which takes up to
  /// kDisturbances more references; what was found holds for later results.
  Check check(const Workload& workload, const Tensors& results, const Tensors& expected);

  /// The same with what was found before and nothing more: inputs may be spoiled, memory taken.
  Check check_as_before(const Workload& workload, const Tensors& results,
                        const Tensors& expected) const;

  /// A result was right only with bounds that were widened.
  bool has_widened() const { return has_widened_; }

 private:
  static constexpr int kDisturbances = 4;

  bool disturb(const Workload& workload, const Tensors& expected);

  MakeAgain again_;
  Tensors slack_;
  int disturbances_ = 0;
  bool has_widened_ = false;
};

}  // namespace plumbline
