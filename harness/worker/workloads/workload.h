/// A case on a device: its inputs, its expected result, its launch.
///
/// There are seven kinds: ops of the catalogue (a folder of ops/), operators that a suite declares,
/// code that a suite brings, Python functions, networks made in Python, networks in files, and
/// cuDNN graphs. Measuring knows none of
/// them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/implementation.h"
#include "backends/no_reference.h"
#include "core/cache_key.h"
#include "core/file_ref.h"
#include "core/op/op_spec.h"
#include "core/run/case.h"
#include "core/unknown.h"
#include "device/device.h"
#include "measure/sampler.h"
#include "measure/serving.h"
#include "worker/workloads/least_memory.h"

namespace plumbline {

class Workload {
 public:
  virtual ~Workload() = default;

  /// Fresh inputs at the device's current placement, always with the same values.
  virtual void make_inputs() = 0;
  /// Inputs made from now on use another value of problem_seed(), for the same implementation.
  virtual void use_seed(std::uint64_t seed) = 0;
  /// Refills the current inputs in place with the values of the current seed. Returns false and
  /// changes nothing if they are not plain random draws.
  virtual bool refill() { return false; }
  /// The number of the inputs for seeds that share them, in whatever order of their elements; {}:
  /// each seed has inputs of its own.
  virtual std::optional<std::uint64_t> repeated_inputs() const { return {}; }
  /// Releases the inputs.
  virtual void drop_inputs() = 0;
  /// The tensors that a launch reads and may change.
  virtual Tensors inputs() const = 0;
  /// Expected results in float64 (integers unchanged) for the current inputs. Throws NoReference.
  virtual Tensors reference() = 0;
  /// What the reference is, for the message of a wrong result; "": the op's own.
  virtual std::string reference_in_words() const { return ""; }
  /// The launch on the current inputs. Throws Unsupported.
  virtual Prepared prepare() = 0;
  /// A launch changes its own inputs.
  virtual bool is_mutating() const = 0;
  /// A launch draws random numbers from LibTorch.
  virtual bool draws_random_numbers() const { return false; }
  /// A result may have a type with fewer bytes than the reference's, as the suite or the op
  /// declares.
  virtual bool may_be_narrower() const { return true; }
  /// A result may lie in an input's memory, as its operator declares.
  virtual bool may_return_inputs() const { return true; }
  /// When a launch is timed by the host's clock; `alone`: it is never held (core/op/op_spec.h).
  virtual HostTimed host_timed() const { return HostTimed::if_not_held; }
  /// Why its launches cannot be part of a CUDA graph of the harness; "": they may be.
  virtual std::string uncapturable() const { return ""; }
  /// Why launches allocate nothing that they need; "": they do.
  virtual std::string keeps_memory() const { return ""; }
  /// The part of a launch's results that is compared with the reference.
  virtual Tensors comparable(const Tensors& results) const { return results; }
  /// Allowed relative L2 error against `expected`, for results of the case's dtype.
  virtual double tolerance(const Tensors& expected) const = 0;
  /// How much a result of that type may be off.
  virtual Bounds bounds(const Tensors& expected, at::ScalarType) const {
    const double all = tolerance(expected);
    return {all, 4 * all};
  }
  /// Whether rounding error can be estimated by disturbing the reference.
  virtual bool can_be_disturbed() const { return true; }
  /// By which share of itself rounding changes what an operator of the reference gives.
  virtual double rounding(const Tensors& expected) const { return tolerance(expected); }
  /// The launch computes with the operators of the reference, apart from their rounding.
  virtual bool has_operators_of_reference() const { return false; }
  /// Seconds of the call that compiled and tuned it, known after prepare(); NaN if nothing is
  /// compiled.
  virtual double compile_s() const { return kUnknown; }
  /// Launches are steps whose phases can be timed.
  virtual bool has_phases() const { return false; }
  /// The phases of the steps that `launches` runs, in their order, with their seconds in each step.
  virtual std::vector<std::pair<std::string, std::vector<double>>> phases_of(
      const std::function<void()>& /*launches*/) {
    return {};
  }
  /// Doubts about its times that only the workload knows, after all launches (measure/flags.h).
  virtual std::vector<std::string> flags() { return {}; }
  /// The requests that the suite declares for it; {}: none.
  virtual std::optional<Serving> serving() const { return {}; }
  /// What a network learns in the training that the suite declares.
  struct Training {
    double accuracy = kUnknown;  // share of the held-out targets that it gets right, 0 to 1
    std::vector<double> losses;  // of every tenth step; empty if one was not finite
  };
  virtual bool has_training() const { return false; }
  /// Trains the network anew with the case's techniques. The seed decides everything random.
  /// Throws Unsupported if a technique cannot be used, or the data are not there.
  virtual Training train(std::int64_t /*seed*/) { return {}; }
  /// The suite's files that compute it (backends/code_files.h); none if the worker contains it.
  virtual std::vector<FileRef> files() const { return {}; }
  /// What it certainly needs, without allocating anything. `room_bytes`: parts that are laborious
  /// to find may stay 0 where the case fits into that by far.
  virtual LeastMemory least_memory(double /*room_bytes*/) const { return {}; }
  /// Per launch; NaN if unknown.
  virtual double flops() const = 0;
  virtual double bytes() const = 0;
};

/// One instance of the case, for any number of streams. `subject` must outlive the workload. Throws
/// Error for a declaration that does not fit its operator's schema, Unsupported if there is no
/// implementation in this build.
std::unique_ptr<Workload> make_workload(const Case& subject, Device& device, bool is_cuda,
                                        std::int64_t run_seed);

/// Returns `compute`'s float64 reference. Rethrows c10::OutOfMemoryError with a message that the
/// reference ran out of memory: the measured launch may have enough.
Tensors in_float64(const std::function<Tensors()>& compute);

/// A run seed whose inputs no timed launch had.
std::int64_t other_seed(std::int64_t run_seed);
/// The run seed of certain contents (measure/scrutiny.h), determined by `draw`.
std::int64_t contents_seed(std::int64_t run_seed, std::uint64_t draw, std::uint64_t contents);

/// The key of a workload's expected results: the same for all backends of one problem.
CacheBits reference_key(const Case& subject, std::int64_t run_seed);

/// A tensor on the device of that rank, filled from the seed.
at::Tensor make_tensor(Device& device, bool is_cuda, const std::vector<std::int64_t>& shape,
                       DType dtype, const Distribution& distribution, bool is_channels_last,
                       std::uint64_t seed, int rank = 0);

}  // namespace plumbline
