/// What a suite declares for an op that has no folder: an operator of the dispatcher (`aten::…`), a
/// kernel compiled at run time, an op of a plug-in, a Python function, a network, or a graph of
/// cuDNN operations.
///
/// Its texts are expressions (core/expression/expression.h) over the parameters of the case. Knows
/// neither YAML nor tensors.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/dtype.h"
#include "core/op/recorded_tensor.h"
#include "core/value.h"

namespace plumbline {

/// An argument of the operator, kernel or plug-in; arguments are kept in order.
struct Argument {
  enum class Role {
    input,    // a tensor that is read (for an operator: any value)
    output,   // a tensor that is written and is a result
    inout,    // both: its initial content is given, and its content after a launch is a result
    scratch,  // a tensor that is written and is not a result
    scalar,   // a value of a fixed type; kernels only
  };
  std::string name;
  std::string expression;  // input, inout: the value; output, scratch: the shape; scalar: a number
  Role role = Role::input;
  std::string type;  // scalar: int32, …; scalar, output, scratch: a dtype or the parameter that
                     // holds it, "" = the dtype of the case
  bool operator==(const Argument&) const = default;
};

/// The dtype of an output or scratch. Throws Error where the named parameter holds no dtype.
DType dtype_of_output(const Argument& argument, const Params& params);

/// By Argument::Role: the names in suites and messages.
inline constexpr std::array<std::string_view, 5> kRoleNames{"input", "output", "inout", "scratch",
                                                            "scalar"};

/// The key of a scalar typed by a dtype; other scalars use their type as the key.
inline constexpr std::string_view kScalarKey = kRoleNames[4];

constexpr std::string_view name_of(Argument::Role role) {
  return kRoleNames[static_cast<std::size_t>(role)];
}

/// A type that a scalar argument of a kernel can have.
struct ScalarType {
  enum class Kind { boolean, integer, natural, floating };
  std::string_view name;
  int bytes;
  Kind kind;
  int mantissa_bits = 0;  // floating: stored bits; the others are sign and exponent
  double largest = 0;     // floating
};

inline constexpr std::array kScalarTypes = std::to_array<ScalarType>({
    {"bool", 1, ScalarType::Kind::boolean},
    {"int8", 1, ScalarType::Kind::integer},
    {"int16", 2, ScalarType::Kind::integer},
    {"int32", 4, ScalarType::Kind::integer},
    {"int64", 8, ScalarType::Kind::integer},
    {"uint8", 1, ScalarType::Kind::natural},
    {"uint16", 2, ScalarType::Kind::natural},
    {"uint32", 4, ScalarType::Kind::natural},
    {"uint64", 8, ScalarType::Kind::natural},
    {"float8_e4m3fn", 1, ScalarType::Kind::floating, 3, 448},
    {"float8_e5m2", 1, ScalarType::Kind::floating, 2, 57344},
    {"float16", 2, ScalarType::Kind::floating, 10, 65504},
    {"bfloat16", 2, ScalarType::Kind::floating, 7, 0x1.fep127},
    {"float32", 4, ScalarType::Kind::floating, 23, std::numeric_limits<float>::max()},
    {"float64", 8, ScalarType::Kind::floating, 52, std::numeric_limits<double>::max()},
});

/// The row of that name, or nullptr.
constexpr const ScalarType* scalar_type_named(std::string_view name) {
  for (const ScalarType& row : kScalarTypes)
    if (row.name == name) return &row;
  return nullptr;
}

/// The type of a scalar: its own, or that of the dtype in a parameter. Throws Error where the
/// parameter holds no dtype.
const ScalarType& scalar_type_of(const Argument& argument, const Params& params);

/// Name and expression.
using NamedExpressions = std::vector<std::pair<std::string, std::string>>;

/// `op: kernel`: CUDA source for NVRTC, or the output of another compiler (.ptx, .cubin).
struct KernelCode {
  std::string source;                      // path
  std::string entry;                       // as the source names it, without template arguments
  std::vector<std::string> template_args;  // expressions
  NamedExpressions defines;                // macros
  std::vector<std::string> options;        // for NVRTC, passed unchanged
  std::vector<std::string> grid, block;    // expressions, one to three of each
  std::string shared;                      // dynamic shared memory, bytes; "" = none
  std::vector<std::string> cluster{};      // blocks of a cluster, one to three; {} = no clusters
  std::string cooperative{};  // an expression, not 0: all blocks run at the same time; "" = no
  std::string dependent{};  // an expression, not 0: may begin before the launch ahead ends; "" = no
  Params constants;  // names besides parameters that expressions may use: metadata.… of a binary
};

/// Whether NVRTC has to compile it, because it is neither .ptx nor .cubin.
bool is_source(const KernelCode& kernel);

/// `op: plugin`: a library function with the C interface backends/plugin/plumbline_plugin.h.
struct PluginCode {
  std::string library;  // path
  std::string function;
  NamedExpressions params;
};

/// `op: module`: what the factory of a network gets, and the loss of a training step.
struct ModuleCode {
  NamedExpressions with;
  std::string loss;  // a function of the source
  // A function of the source that gives the task to train on, for the accuracy; "" = none.
  std::string accuracy{};
  // `requests`, `rate`, `items` of inference that serves requests (measure/serving.h); {} = none.
  NamedExpressions serve{};
};

/// `op: python`: a function that gets the arguments by name. Its return values are the results;
/// without return values, the results are its outputs and the arguments that it changes.
struct PythonCode {
  std::string source;              // path
  std::string function;            // a name at the top level of the source; `Class.method` too
  std::string reference_function;  // computes the expected results from float64 tensors; "" = none
  std::optional<ModuleCode> module;  // `op: module`: the function makes a torch.nn.Module
};

/// `op: module` of a network in a file: TorchScript (.pt), or a package of AOTInductor (.pt2).
struct NetworkFile {
  std::string source;     // path
  std::string reference;  // path of TorchScript that computes the same; "" = the network itself
};

struct Declaration {
  std::vector<Argument> args;
  std::string reference;     // tensor expression of the expected results; "" = for an operator: the
                             // same schema in float64, otherwise none
  std::string flops, bytes;  // cost of one launch; "" = unknown
  std::optional<double> tolerance;   // relative L2 error allowed; none = the default of the dtype
  std::optional<KernelCode> kernel;  // at most one of these; none: a dispatcher operator
  std::optional<PluginCode> plugin;
  std::optional<PythonCode> python;
  std::optional<NetworkFile> network;
  std::string graph;  // `op: cudnn.graph`: cudnn-frontend's JSON; "" = another kind of op
  std::vector<RecordedTensor> recorded{};  // that the arguments of this case name
};

/// What a declaration says about the suite's code, besides the file: entry or function, template
/// arguments, macros, options, launch, scalars, parameters of a plug-in. This text and the files
/// together define the implementation; a revision covers the rest (suite/declared/declaration.h).
/// "" where the suite brings no code.
std::string implementation_text(const Declaration& declaration);

}  // namespace plumbline
