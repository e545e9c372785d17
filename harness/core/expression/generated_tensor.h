/// The generators of input tensors in expressions: `randn[rows, cols]`.
///
/// The suite's reader checks them with this code, the worker creates tensors from it. Knows no
/// tensor.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/expression/expression.h"

namespace plumbline {

/// uniform: in [-1, 1]; rand: in [0, 1); randn: normal; randint(low, high) and arange: integers;
/// file('path', 'tensor'): recorded values.
enum class Generator { uniform, rand, randn, randint, ones, zeros, arange, file };

/// Names, by Generator.
inline constexpr std::array<std::string_view, 8> kGeneratorNames{
    "uniform", "rand", "randn", "randint", "ones", "zeros", "arange", "file"};

struct GeneratedTensor {
  Generator generator = Generator::uniform;
  std::vector<std::int64_t> shape;  // every size is at least 0
  DType dtype = DType::float32;     // int64 for randint and arange, else the case's; or as written
  std::int64_t low = 0, high = 2;   // randint: values lie in [low, high)
  std::string file{}, tensor{};     // file: the names in its parentheses; tensor may be ""
  std::optional<std::int64_t> shuffle{};  // file: the dimension whose order each launch changes
  bool may_have_nan = false;              // file
};

/// What `name[shape]` or `name(…)[shape]` means in a case with these parameters. Throws Error
/// "column N: …" for an unknown generator, for wrong numbers or keywords, and for sizes that are
/// not integers from 0.
GeneratedTensor generated_tensor(const Expression& expression, const Params& params);

/// Only the element type; nothing for expressions of another form. Throws Error for an unknown
/// dtype.
std::optional<DType> generated_dtype(const Expression& expression, const Params& params);

/// The sizes of a list: `[rows, 2 * cols]`. Throws Error "column N: …" where it is not a list of
/// integers from 0.
std::vector<std::int64_t> shape_of(const Expression& list, const Params& params);

}  // namespace plumbline
