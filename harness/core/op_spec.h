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

/// A condition over the parameters (core/expression.h) that a valid problem fulfils.
struct Requirement {
  std::string condition;
  std::string message;  // what is wrong where it does not hold
};

/// What a backend does not take of an op: where the condition over the parameters and `device.kind`
/// does not hold, a case is UNSUPPORTED there, for the reason. See core/op_limits.h.
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
  double tolerance_factor = 4;         // see tolerance()
  /// Condition over the parameters: a launch is the host's work, or waits for the device, so that
  /// it has wall_time and no metric of the device's, and runs on one stream.
  std::string host_timed = "false";
};

/// Parameters of every op: dtype (required), direction (forward | backward), which plan it runs
/// (core/plan_choice.h), and how it uses streams (core/stream_setup.h).
const std::vector<ParamSpec>& common_params();

/// False for parameters that say how a problem is run, not what it is: they do not touch the input
/// data, and at their default they go without saying.
bool is_problem_param(std::string_view name);

/// Relative L2 error that a correct implementation stays within:
/// factor × (ε(dtype) + √n × ε(accumulator)), the accumulator being float32 below float64:
/// rounding of the result plus the random walk of n added terms (Higham & Mary 2019). The factor of
/// floats of 8 bits is 1/2 at most.
double tolerance(DType dtype, double reduction_length, double factor);

/// tolerance() of a case of the op, and what library.tf32 lets its inputs be rounded to besides.
double tolerance_of(const OpSpec& spec, const Params& params);

/// The same as an expression over the parameters, for people.
std::string tolerance_expression(const OpSpec& spec, DType dtype);

/// An op with what the build found in its folder.
struct CatalogueEntry {
  OpSpec spec;
  std::vector<std::string> backends;  // those with a file in the op's folder
};

/// The catalogue is a value: the build generates make_catalogue() from the folders of ops/.
using Catalogue = std::vector<CatalogueEntry>;

/// The entry of that name, or nullptr.
const CatalogueEntry* find_op(const Catalogue& catalogue, std::string_view name);

/// Every backend there is: what a suite may name.
inline constexpr std::string_view kBackends[] = {"libtorch", "cudnn", "custom"};

}  // namespace plumbline
