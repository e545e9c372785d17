/// One instance of a case: its workload, what is expected of it, and whether results are that.
///
/// A plain case is one instance; a case with streams has several, each with inputs of its own.
#pragma once

#include <memory>
#include <string>

#include "core/case.h"
#include "device/device.h"
#include "worker/verify/judgement.h"
#include "worker/verify/kept_results.h"
#include "worker/verify/race_check.h"
#include "worker/workloads/workload.h"

namespace plumbline {

class Instance {
 public:
  /// `subject` and `device` must outlive it. Throws as make_workload does.
  Instance(const Case& subject, Device& device, bool is_cuda, std::int64_t run_seed);

  Workload& workload() const { return *workload_; }

  /// Expects what was kept for the inputs at hand, else their reference. Throws NoReference.
  void expect(KeptResults& kept);
  /// Nothing is expected any more; its memory is free.
  void expect_nothing() { expected_.clear(); }
  /// Inputs that are made from here on have values that no timed launch had.
  void change_values();
  /// Expects the reference of the inputs at hand.
  void expect_reference();
  bool is_expected() const { return !expected_.empty(); }
  /// Relative L2 error allowed.
  double tolerance() const { return workload_->tolerance(expected_); }

  /// Judgement::check of results that have to be as expected.
  Check check(const Tensors& results);
  /// A result was right only with bounds that were widened.
  bool has_widened() const { return judgement_.has_widened(); }
  /// find_races of launches on the inputs at hand; "" = none.
  std::string race(const RaceSite& site);

 private:
  Judgement judgement() const;

  const Case& subject_;
  Device& device_;
  bool is_cuda_;
  std::int64_t seed_;
  std::unique_ptr<Workload> workload_;
  Judgement judgement_;
  Tensors expected_;
};

}  // namespace plumbline
