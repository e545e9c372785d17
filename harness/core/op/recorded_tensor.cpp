#include "core/op/recorded_tensor.h"

#include <algorithm>

#include "core/cache_key.h"
#include "core/dtype.h"
#include "core/op/tensor_hash.h"

namespace plumbline {

std::int64_t samples_in(const RecordedTensor& recorded, const std::vector<std::int64_t>& declared) {
  if (recorded.shape == declared) return 1;
  const bool has_samples = recorded.shape.size() == declared.size() + 1 &&
                           std::ranges::equal(recorded.shape.begin() + 1, recorded.shape.end(),
                                              declared.begin(), declared.end());
  return has_samples ? recorded.shape.front() : 0;
}

std::int64_t bytes_in(const RecordedTensor& recorded) {
  std::int64_t bytes = info(dtype_named(recorded.dtype).value()).bytes;
  for (const std::int64_t size : recorded.shape) bytes *= size;
  return bytes;
}

void TensorHash::add(std::string_view piece) { keys_ += cache_key(piece); }

std::string TensorHash::text() const { return cache_key(keys_); }

}  // namespace plumbline
