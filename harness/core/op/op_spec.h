/// The catalogue's vocabulary: what an op is, as data, without CUDA and LibTorch.
///
/// One OpSpec per folder of ops/, returned by its op.cpp; both programs are built with all of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/value.h"

namespace plumbline {

enum class ParamKind { boolean, integer, number, text };

struct ParamSpec {
  std::string name;
  ParamKind kind = ParamKind::integer;
  std::optional<Value> fallback;     // default; a parameter without one must be given
  std::optional<double> minimum;     // numbers, inclusive
  std::vector<std::string> allowed;  // texts: the values there are
  std::string doc;
  std::optional<double> maximum{};  // numbers, inclusive
  bool takes_index = false;         // texts: whole numbers from 0 as well
};

/// A condition over the parameters (core/expression/expression.h) that a valid problem fulfils.
struct Requirement {
  std::string condition;
  std::string message;  // what is wrong where it does not hold
};

/// What a backend does not take of an op: where the condition over the parameters and `device.kind`
/// does not hold, a case is UNSUPPORTED there, for the reason. See core/op/op_limits.h.
struct Limit {
  std::string backend;
  std::string condition;
  std::string reason;
};

/// Algorithmic minimum of one launch: expressions over the parameters; `sizeof(dtype)` is bytes.
struct CostSpec {
  std::string flops, bytes;
};

struct OpSpec {
  std::string name;
  std::string doc;                // one line: what is computed
  int revision = 1;               // of the problem: raised when inputs, reference or cost change
  std::vector<ParamSpec> params;  // its own; common_params() come on top
  std::vector<DType> dtypes;
  bool has_backward = false;
  std::vector<Requirement> requirements;
  std::vector<Limit> limits{};  // beside those of every op on a backend
  CostSpec forward, backward;
  std::string reduction_length = "1";  // terms added per output element, for the tolerance
  double tolerance_factor = 4;         // see bounds()
  double roundings = 1;                // see bounds()
  /// Condition over the parameters: results are copies of inputs, equal to them.
  std::string exact = "false";
  /// Equal values decide what is computed, so that inputs that are a little off say nothing of how
  /// rounding changes the results (worker/verify/conditioning.h).
  bool hinges_on_ties = false;
  /// What of the results is compared with the reference, where it is not the results themselves,
  /// and what a tolerance that is wider than others' allows for; "" = nothing to say.
  std::string checked{};
  /// Condition over the parameters: a launch is the host's work, or waits for the device, so that
  /// it has wall_time and no metric of the device's, and runs on one stream.
  std::string host_timed = "false";
};

/// Parameters of every op: dtype (required), direction (forward | backward), which plan it runs
/// (core/op/plan_choice.h), and how it uses streams (core/op/stream_setup.h).
const std::vector<ParamSpec>& common_params();

/// False for parameters that say how a problem is run, not what it is: they do not touch the input
/// data, and at their default they go without saying.
bool is_problem_param(std::string_view name);

/// What a correct implementation stays within: the relative L2 error of a result, and of each
/// element its error over |expected| + rms of expected.
struct Bounds {
  double rel_l2 = 0, element = 0;
};

/// factor × (ε(dtype) + √n × ε(accumulator)), the accumulator being float32 below float64:
/// rounding of the result plus the random walk of n added terms (Higham & Mary 2019). The factor of
/// floats of 8 bits is 1/2 at most.
double tolerance(DType dtype, double reduction_length, double factor);

/// That as the relative L2 error, and four times as much of an element (eight times in floats of 8
/// bits, where few are averaged), the largest of millions of rounding errors against their root
/// mean square. A type of 16 bits rounds so coarsely that its ε must not be multiplied like the
/// sum's where all elements are looked at together: an error of 1 % in all of them is none of
/// rounding, which leaves 0.2 to 0.4 ε each time that a value is written. There the relative L2
/// error is within roundings × ε + factor × √n × ε(accumulator).
Bounds bounds(DType dtype, double reduction_length, double factor, double roundings = 1);

/// bounds() of what a suite declares. `operations` that each round once: 1 for an operator, more
/// for a graph that rounds between them. `factor` is that of sums, and of all rounding where a type
/// has more than 16 bits. `input_rounding`: what settings let inputs be rounded to.
Bounds declared_bounds(DType dtype, double reduction_length, double factor, double operations,
                       double input_rounding);

/// bounds() of a case's result of that dtype, and what library.tf32 lets its inputs be rounded to
/// besides. A forward result that is finer than the case's dtype (the float32 scale of a bfloat16
/// matrix) is judged by its own; gradients are made of what was rounded to the case's.
Bounds bounds_of(const OpSpec& spec, const Params& params, DType result);

/// The relative L2 error of bounds_of() where results are of the case's dtype.
double tolerance_of(const OpSpec& spec, const Params& params);

/// Both of bounds_of() as expressions over the parameters, for people; "exact" where results have
/// to be equal.
struct BoundsInWords {
  std::string rel_l2, element;
};
BoundsInWords bounds_in_words(const OpSpec& spec, DType dtype);

/// An op with what the build found in its folder.
struct CatalogueEntry {
  OpSpec spec;
  std::vector<std::string> backends;  // those with a file in the op's folder
};

/// The catalogue is a value: the build generates make_catalogue() from the folders of ops/.
using Catalogue = std::vector<CatalogueEntry>;

/// The entry of that name, or nullptr.
const CatalogueEntry* find_op(const Catalogue& catalogue, std::string_view name);

/// What a worker in any language brings itself: only that worker knows which ops it has.
inline constexpr std::string_view kWorkerBackend = "worker";

/// Every backend there is: what a suite may name.
inline constexpr std::string_view kBackends[] = {"libtorch", "cudnn", "custom", kWorkerBackend};

}  // namespace plumbline
