/// The catalogue's vocabulary: what an op is, as data, without CUDA and LibTorch.
///
/// One OpSpec per folder of ops/, returned by its op.cpp; both programs contain all of them.
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
  std::vector<std::string> allowed;  // texts: the allowed values
  std::string doc;
  std::optional<double> maximum{};  // numbers, inclusive
  bool takes_index = false;         // texts: integers from 0 are allowed too
};

/// A condition over the parameters (core/expression/expression.h) that a valid problem meets.
struct Requirement {
  std::string condition;
  std::string message;  // what is wrong if the condition does not hold
};

/// A limit of a backend for an op. Where the condition over the parameters and `device.kind` does
/// not hold, the case is UNSUPPORTED on that backend, with this reason. See core/op/op_limits.h.
struct Limit {
  std::string backend;
  std::string condition;
  std::string reason;
};

/// Minimum work of one launch: expressions over the parameters; `sizeof(dtype)` is in bytes.
struct CostSpec {
  std::string flops, bytes;
};

struct OpSpec {
  std::string name;
  std::string doc;                // one line: what is computed
  int revision = 1;               // of the problem: raise it when inputs, reference or cost change
  std::vector<ParamSpec> params;  // the op's own; common_params() are added
  std::vector<DType> dtypes;
  bool has_backward = false;
  std::vector<Requirement> requirements;
  std::vector<Limit> limits{};  // added to those of every op on a backend
  CostSpec forward, backward;
  std::string reduction_length = "1";  // terms added per output element, for the tolerance
  double tolerance_factor = 4;         // see bounds()
  double roundings = 1;                // see bounds()
  /// Condition over the parameters: results are exact copies of inputs.
  std::string exact = "false";
  /// Ties between equal values decide what is computed. Slightly changed inputs then say nothing
  /// about the effect of rounding (worker/verify/conditioning.h).
  bool hinges_on_ties = false;
  /// What is compared with the reference if not the results themselves, and why a tolerance is
  /// wider than for other ops; "" = nothing special.
  std::string checked{};
  /// Condition over the parameters: a launch works on the host or waits for the device. It then has
  /// wall_time and no device metrics, and runs on one stream.
  std::string host_timed = "false";
};

/// Parameters of every op: dtype (required), direction (forward | backward), its plan
/// (core/op/plan_choice.h), and its use of streams (core/op/stream_setup.h).
const std::vector<ParamSpec>& common_params();

/// False for parameters that say how a problem is run and not what it is. They do not change the
/// input data, and a case's parameters leave out their defaults.
bool is_problem_param(std::string_view name);

/// The largest errors of a correct implementation: of a result the relative L2 error, of each
/// element its error divided by |expected| + rms of expected.
struct Bounds {
  double rel_l2 = 0, element = 0;
};

/// factor × (ε(dtype) + √n × ε(accumulator)); the accumulator is float32, or float64 for float64.
/// This is the rounding of the result plus a random walk of n added terms (Higham & Mary 2019). For
/// 8-bit floats the factor is at most 1/2.
double tolerance(DType dtype, double reduction_length, double factor);

/// Relative L2 error: tolerance(). Element: four times that, since the largest of millions of
/// rounding errors exceeds their root mean square. In 8-bit floats, where few errors average out,
/// it is eight times that. For 16-bit floats the relative L2 error is smaller: roundings × ε +
/// factor × √n × ε(accumulator). Their ε is so large that factor × ε would hide an error of 1 % in
/// all elements, while each rounding of a value adds only 0.2 to 0.4 ε.
Bounds bounds(DType dtype, double reduction_length, double factor, double roundings = 1);

/// bounds() for ops declared in a suite. `operations` is the number of operations that round once:
/// 1 for an operator, more for a graph that rounds between them. `factor` applies to sums; except
/// in 16-bit floats it applies to all rounding. `input_rounding`: error by which settings may round
/// inputs.
Bounds declared_bounds(DType dtype, double reduction_length, double factor, double operations,
                       double input_rounding);

/// bounds() for a case's result of dtype `result`, plus the input rounding that library.tf32
/// allows. A forward result that is finer than the case's dtype (the float32 scale of a bfloat16
/// matrix) is judged by its own dtype. Gradients come from values rounded to the case's dtype, so
/// they are judged by that.
Bounds bounds_of(const OpSpec& spec, const Params& params, DType result);

/// The relative L2 error of bounds_of() for results in the dtype of the case.
double tolerance_of(const OpSpec& spec, const Params& params);

/// Both parts of bounds_of() as expressions over the parameters, for people; "exact" where results
/// must be equal.
struct BoundsInWords {
  std::string rel_l2, element;
};
BoundsInWords bounds_in_words(const OpSpec& spec, DType dtype);

/// An op with the backends that the build found in its folder.
struct CatalogueEntry {
  OpSpec spec;
  std::vector<std::string> backends;  // those with a file in the op's folder
};

/// The catalogue is a value: the build generates make_catalogue() from the folders of ops/.
using Catalogue = std::vector<CatalogueEntry>;

/// The entry of that name, or nullptr.
const CatalogueEntry* find_op(const Catalogue& catalogue, std::string_view name);

/// Ops of a worker in any language: only that worker knows which ops it has.
inline constexpr std::string_view kWorkerBackend = "worker";

/// All backends that a suite may name.
inline constexpr std::string_view kBackends[] = {"libtorch", "cudnn", "nccl", "custom",
                                                 kWorkerBackend};

}  // namespace plumbline
