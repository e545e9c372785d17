#include "worker/workloads/input_values.h"

#include "device/random.h"

namespace plumbline {
namespace {

using Kind = Distribution::Kind;

bool is_free(const Distribution& declared, DType dtype) {
  if (!is_floating(dtype)) return false;
  return (declared.kind == Kind::uniform && declared.low == -declared.high) ||
         (declared.kind == Kind::normal && declared.low == 0);
}

}  // namespace

std::optional<Distribution> chosen_values(InputData data, const Distribution& declared, DType dtype,
                                          std::int64_t channels) {
  if (!is_free(declared, dtype)) return std::nullopt;
  const double size = declared.high;
  switch (data) {
    case InputData::uniform:
      return declared;
    case InputData::normal:
      return Distribution{Kind::normal, 0, size};
    case InputData::sparse:
      return Distribution{Kind(kSparseKind), -size, size};
    case InputData::zeros:
      return Distribution{Kind::constant, 0, 0};
    case InputData::real_like:
      return Distribution{Kind(kOutlierKind), double(channels), size};
  }
  return declared;
}

std::int64_t channels_of(const std::vector<std::int64_t>& shape, bool is_channels_last) {
  if (shape.empty()) return 1;
  return is_channels_last ? shape.at(1) : shape.back();
}

}  // namespace plumbline
