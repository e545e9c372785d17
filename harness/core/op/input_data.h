/// Which values the floating-point inputs of a case have: the parameter `data`, typed.
///
/// Bit patterns change how many transistors switch, so power, and with it the clock. They are part
/// of the problem: a case with other data has another id. Knows no tensor.
#pragma once

#include "core/op/op_spec.h"

namespace plumbline {

enum class InputData {
  uniform,    // as the op or the suite declares them: uniform in [-1, 1] unless said otherwise
  normal,     // mean 0, standard deviation 1
  sparse,     // 90 % zeros, the rest uniform in [-1, 1]
  zeros,      // all zero
  real_like,  // normal, with a few channels that are 20 times as large
};

/// The parameter `data` of every op.
const ParamSpec& data_param();

/// Uniform if the parameter is missing.
InputData input_data(const Params& params);

/// "data=zeros".
std::string in_words(InputData data);

}  // namespace plumbline
