/// One instance of a case: its workload, its expected results, and the check against them.
///
/// A plain case is one instance; a case with streams has several, each with its own inputs.
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

  /// Inputs made from now on have the values of this run seed.
  void use_seed(std::int64_t run_seed);

  /// Expects the kept results for the current inputs, or else their reference. Throws NoReference.
  void expect(KeptResults& kept);
  /// Expects the reference of the current inputs. Throws NoReference.
  void expect_reference();
  /// Drops the expected results and frees their memory.
  void expect_nothing() { expected_.clear(); }
  /// {}: nothing is expected.
  const Tensors& expected() const { return expected_; }
  /// Inputs made from now on have values that no timed launch had.
  void change_values();

  /// check_results() of the comparable part of the results. If it finds a mistake, the bounds are
  /// widened by this problem's rounding error (conditioning.h), which needs up to kDisturbances
  /// more references. Widened bounds stay for later results.
  Check check(const Tensors& results);
  /// The same without widening further: inputs may be spoiled and memory taken.
  Check check_as_before(const Tensors& results) const;
  /// Compares with the results of another launch on the same inputs; each may be off by the
  /// allowance.
  Check check_between(const Tensors& results, const Tensors& others) const;
  /// A result was right only with widened bounds.
  bool has_widened() const { return has_widened_; }

  /// batch_dependence() of a finished launch on the current inputs; "": none, or not declared.
  std::string batch_dependence(const Tensors& results) const;
  /// The suite declares that the results do not depend on the batch.
  bool is_batch_invariant() const;
  /// find_races() of launches on the current inputs; "": none.
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
  Tensors slack_;  // of the expected results that have been disturbed
  int disturbances_ = 0;
  bool has_widened_ = false;
};

}  // namespace plumbline
