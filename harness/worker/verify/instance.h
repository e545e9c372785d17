/// One instance of a case: its workload, what is expected of it, and whether results are that.
///
/// A plain case is one instance; a case with streams has several, each with inputs of its own.
#pragma once

#include <memory>
#include <string>

#include "core/run/case.h"
#include "device/device.h"
#include "worker/verify/kept_results.h"
#include "worker/verify/race_check.h"
#include "worker/verify/verification.h"
#include "worker/workloads/workload.h"

namespace plumbline {

class Instance {
 public:
  /// `subject` and `device` must outlive it. Throws as make_workload does.
  Instance(const Case& subject, Device& device, bool is_cuda, std::int64_t run_seed);

  Workload& workload() const { return *workload_; }

  /// Inputs that are made from here on have the values that belong to the seed of a run.
  void use_seed(std::int64_t run_seed);

  /// Expects what was kept for the inputs at hand, else their reference. Throws NoReference.
  void expect(KeptResults& kept);
  /// Expects the reference of the inputs at hand. Throws NoReference.
  void expect_reference();
  /// Nothing is expected any more; its memory is free.
  void expect_nothing() { expected_.clear(); }
  /// {} = nothing is expected.
  const Tensors& expected() const { return expected_; }
  /// Inputs that are made from here on have values that no timed launch had.
  void change_values();

  /// check_results() of what of the results is compared. Where there is a mistake, the bounds are
  /// widened by what rounding may do to this very problem (conditioning.h), which takes up to
  /// kDisturbances more references; what was found holds for later results.
  Check check(const Tensors& results);
  /// The same with what was found before and nothing more: inputs may be spoiled, memory taken.
  Check check_as_before(const Tensors& results) const;
  /// How far results are from those of another launch on the same inputs, each of which may be off
  /// by what is allowed.
  Check check_between(const Tensors& results, const Tensors& others) const;
  /// A result was right only with bounds that were widened.
  bool has_widened() const { return has_widened_; }

  /// find_races() of launches on the inputs at hand; "" = none.
  std::string race(const RaceSite& site) const;

 private:
  static constexpr int kDisturbances = 4;

  bool disturb();

  const Case& subject_;
  Device& device_;
  bool is_cuda_;
  std::int64_t seed_;
  std::unique_ptr<Workload> workload_;
  Tensors expected_;
  Tensors slack_;  // of the expected results, as far as they have been disturbed
  int disturbances_ = 0;
  bool has_widened_ = false;
};

}  // namespace plumbline
