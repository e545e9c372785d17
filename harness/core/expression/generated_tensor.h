/// What the generators of input tensors in expressions ask for: `randn[rows, cols]`.
///
/// The suite's reader checks them with this, the worker makes them by it. Knows no tensor.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/expression/expression.h"

namespace plumbline {

/// uniform: in [-1, 1]; rand: in [0, 1); randn: normal; randint(low, high) and arange: integers.
enum class Generator { uniform, rand, randn, randint, ones, zeros, arange };

/// By Generator.
inline constexpr std::array<std::string_view, 7> kGeneratorNames{
    "uniform", "rand", "randn", "randint", "ones", "zeros", "arange"};

struct GeneratedTensor {
  Generator generator = Generator::uniform;
  std::vector<std::int64_t> shape;  // no size is negative
  DType dtype = DType::float32;     // int64 of randint and arange, else the case's, or as said
  std::int64_t low = 0, high = 2;   // randint: its values lie in [low, high)
};

/// What `name[shape]` or `name(…)[shape]` asks for in a case with these parameters. Throws Error
/// "column N: …" for a name that is no generator, for numbers or a dtype that it does not take, and
/// for sizes that are no integers from 0.
GeneratedTensor generated_tensor(const Expression& expression, const Params& params);

/// The element type alone; nothing for expressions of another form. Throws Error for a dtype that
/// there is not.
std::optional<DType> generated_dtype(const Expression& expression, const Params& params);

/// The sizes of a list: `[rows, 2 * cols]`. Throws Error "column N: …" for what is no list of
/// integers from 0.
std::vector<std::int64_t> shape_of(const Expression& list, const Params& params);

}  // namespace plumbline
