/// One case made concrete on a device: its inputs, its expected result, its launch.
///
/// Five kinds stand behind it: ops of the catalogue (a folder of ops/), operators that a suite
/// declares, code that it brings, functions in Python, and graphs of cuDNN's. Measuring knows none
/// of them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "backends/implementation.h"
#include "backends/no_reference.h"
#include "core/cache_key.h"
#include "core/file_ref.h"
#include "core/op/op_spec.h"
#include "core/run/case.h"
#include "core/unknown.h"
#include "device/device.h"

namespace plumbline {

class Workload {
 public:
  virtual ~Workload() = default;

  /// Fresh inputs at the device's current placement, always with the same values.
  virtual void make_inputs() = 0;
  /// Inputs are made from another of problem_seed() from here on, for the same implementation.
  virtual void use_seed(std::uint64_t seed) = 0;
  /// Gives the inputs at hand the values of the seed at hand, where they are. False where they are
  /// no plain draws; then they are as they were.
  virtual bool refill() { return false; }
  /// Lets go of the inputs.
  virtual void drop_inputs() = 0;
  /// What a launch reads, and what it may change.
  virtual Tensors inputs() const = 0;
  /// Expected results in float64 (integers as they are) for the current inputs. Throws NoReference.
  virtual Tensors reference() = 0;
  /// What the reference is, where that has to be said of a wrong result; "" = the op's own.
  virtual std::string reference_in_words() const { return ""; }
  /// The launch on the current inputs. Throws Unsupported.
  virtual Prepared prepare() = 0;
  /// A launch changes its own inputs.
  virtual bool is_mutating() const = 0;
  /// A launch draws from LibTorch's random numbers.
  virtual bool draws_random_numbers() const { return false; }
  /// A result may have a type of fewer bytes than the reference's: the suite says it, or the op.
  virtual bool may_be_narrower() const { return true; }
  /// A result may lie in an input's memory, as its operator says.
  virtual bool may_return_inputs() const { return true; }
  /// A launch is timed by the host's clock and never held (core/op/op_spec.h).
  virtual bool is_host_timed() const { return false; }
  /// What of a launch's results is compared with the reference.
  virtual Tensors comparable(const Tensors& results) const { return results; }
  /// Relative L2 error allowed against `expected`, where results are of the case's dtype.
  virtual double tolerance(const Tensors& expected) const = 0;
  /// What a result of that type may be off by.
  virtual Bounds bounds(const Tensors& expected, at::ScalarType) const {
    const double all = tolerance(expected);
    return {all, 4 * all};
  }
  /// Whether rounding may move results so that its reference, a little disturbed, tells how far.
  virtual bool can_be_disturbed() const { return true; }
  /// Of the call that compiled and tuned it, once prepare() was called; NaN where nothing does.
  virtual double compile_s() const { return kUnknown; }
  /// What of the suite's files computes it (backends/code_files.h); none for what the worker holds.
  virtual std::vector<FileRef> files() const { return {}; }
  /// Of one launch; NaN where unknown.
  virtual double flops() const = 0;
  virtual double bytes() const = 0;
};

/// `subject` must outlive the workload. Throws Error for a declaration that does not fit its
/// operator's schema, Unsupported where no implementation is built. One instance of the case,
/// however many its streams ask for.
std::unique_ptr<Workload> make_workload(const Case& subject, Device& device, bool is_cuda,
                                        std::int64_t run_seed);

/// What `compute` gives of a float64 reference. c10::OutOfMemoryError says that it was the
/// reference's: what is measured may have enough.
Tensors in_float64(const std::function<Tensors()>& compute);

/// A run's seed of inputs that no timed launch had.
std::int64_t other_seed(std::int64_t run_seed);
/// A run's seed of certain contents (measure/scrutiny.h), which its draw decides.
std::int64_t contents_seed(std::int64_t run_seed, std::uint64_t draw, std::uint64_t contents);

/// Of a workload's expected results: equal for all backends of one problem.
CacheBits reference_key(const Case& subject, std::int64_t run_seed);

/// A tensor of the device, filled from the seed.
at::Tensor make_tensor(Device& device, bool is_cuda, const std::vector<std::int64_t>& shape,
                       DType dtype, const Distribution& distribution, bool is_channels_last,
                       std::uint64_t seed);

}  // namespace plumbline
