#include "core/op/input_data.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace plumbline {
namespace {

/// Names, by InputData.
constexpr std::array kNames{"uniform", "normal", "sparse", "zeros", "real_like"};

}  // namespace

const ParamSpec& data_param() {
  static const ParamSpec kData{
      "data",
      ParamKind::text,
      std::string(kNames.front()),
      std::nullopt,
      {kNames.begin(), kNames.end()},
      "values of floating-point inputs: uniform in [-1, 1] or as the op declares them, normal, "
      "sparse (90 % zeros), zeros, or real_like (normal, a few channels 20 times as large)"};
  return kData;
}

InputData input_data(const Params& params) {
  const auto found = params.find(data_param().name);
  if (found == params.end()) return InputData::uniform;
  const auto name = std::ranges::find(kNames, std::get<std::string>(found->second));
  if (name == kNames.end()) throw std::logic_error("unknown input data");
  return static_cast<InputData>(name - kNames.begin());
}

std::string in_words(InputData data) {
  return data_param().name + '=' + kNames[static_cast<std::size_t>(data)];
}

}  // namespace plumbline
