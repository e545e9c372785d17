/// What a suite declares of an op that has no folder: an operator of the dispatcher (`aten::…`), a
/// kernel that is compiled at run time, an op of a plug-in, a function in Python, or a graph of
/// cuDNN's operations.
///
/// Texts in the grammar of core/expression/expression.h over the parameters of the case. Knows
/// neither YAML nor what a tensor is.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/dtype.h"
#include "core/value.h"

namespace plumbline {

/// An argument of the operator, kernel or plug-in, in its place among them.
struct Argument {
  enum class Role {
    input,    // a tensor that is read (of an operator: any value)
    output,   // a tensor that is written, and is a result
    inout,    // both: its content is given, and what is there after a launch is a result
    scratch,  // a tensor that is written, and is no result
    scalar,   // a value of a fixed type; kernels only
  };
  std::string name;
  std::string expression;  // input, inout: the value; output, scratch: the shape; scalar: a number
  Role role = Role::input;
  std::string type;  // scalar: int32, …; it, output, scratch: dtype or the parameter that holds
                     // it, "" = the case's
  bool operator==(const Argument&) const = default;
};

/// The dtype of an output or scratch. Throws Error where the parameter that it names holds none.
DType dtype_of_output(const Argument& argument, const Params& params);

/// By Argument::Role: what suites and messages call them.
inline constexpr std::array<std::string_view, 5> kRoleNames{"input", "output", "inout", "scratch",
                                                            "scalar"};

/// The key of a scalar whose type is a dtype's; others have their type for a key.
inline constexpr std::string_view kScalarKey = kRoleNames[4];

constexpr std::string_view name_of(Argument::Role role) {
  return kRoleNames[static_cast<std::size_t>(role)];
}

/// What a scalar argument of a kernel can be.
struct ScalarType {
  enum class Kind { boolean, integer, natural, floating };
  std::string_view name;
  int bytes;
  Kind kind;
  int mantissa_bits = 0;  // floating: those that are stored; the others are sign and exponent
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

/// The type of a scalar: its own, or that of the dtype which a parameter holds. Throws Error where
/// it holds none.
const ScalarType& scalar_type_of(const Argument& argument, const Params& params);

/// Name and expression.
using NamedExpressions = std::vector<std::pair<std::string, std::string>>;

/// `op: kernel`: CUDA source for NVRTC, or what another compiler made of one (.ptx, .cubin).
struct KernelCode {
  std::string source;                      // path
  std::string entry;                       // as the source names it, without template arguments
  std::vector<std::string> template_args;  // expressions
  NamedExpressions defines;                // macros
  std::vector<std::string> options;        // for NVRTC, as they are
  std::vector<std::string> grid, block;    // expressions, one to three of each
  std::string shared;                      // dynamic shared memory, bytes; "" = none
  Params constants;  // what expressions may name beside parameters: metadata.… of a binary
};

/// Whether NVRTC has to compile it: it is neither .ptx nor .cubin.
bool is_source(const KernelCode& kernel);

/// `op: plugin`: a function of a library with the C interface backends/plugin/plumbline_plugin.h.
struct PluginCode {
  std::string library;  // path
  std::string function;
  NamedExpressions params;
};

/// `op: python`: a function that is called with the arguments by their names. What it returns are
/// the results; where it returns nothing, its outputs and what it changes are.
struct PythonCode {
  std::string source;              // path
  std::string function;            // a name at the top of the source; `Class.method` too
  std::string reference_function;  // gives the expected results from float64 tensors; "" = none
};

struct Declaration {
  std::vector<Argument> args;
  std::string reference;     // tensor expression of the expected results; "" = of an operator: the
                             // same schema in float64, of others: none
  std::string flops, bytes;  // cost of one launch; "" = unknown
  std::optional<double> tolerance;   // relative L2 error allowed; none = by dtype
  std::optional<KernelCode> kernel;  // one of these, or none: an operator of the dispatcher
  std::optional<PluginCode> plugin;
  std::optional<PythonCode> python;
  std::string graph;  // `op: cudnn.graph`: cudnn-frontend's JSON; "" = another kind of op
};

/// What a declaration says of the code that a suite brings, beside the file: entry or function,
/// template arguments, macros, options, launch, scalars, parameters of a plug-in. With what is in
/// the files it is all that computes the case; a revision is about the rest
/// (suite/declared/declaration.h).
/// "" where the suite brings no code.
std::string implementation_text(const Declaration& declaration);

}  // namespace plumbline
