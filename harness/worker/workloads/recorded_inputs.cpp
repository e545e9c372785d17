#include "worker/workloads/recorded_inputs.h"

#include <ATen/ops/empty.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "backends/libtorch/libtorch.h"
#include "core/error.h"
#include "core/op/tensor_hash.h"
#include "device/random.h"

namespace plumbline {
namespace {

/// Numbers for random_bits() that no tensor of the problem has.
constexpr std::uint64_t kOfRecording = ~std::uint64_t{0}, kOfOrder = kOfRecording - 1;

[[noreturn]] void fail(const RecordedTensor& tensor, const std::string& what) {
  throw Error("the file '" + tensor.path + "' " + what);
}

void read_all(const RecordedTensor& tensor, int descriptor, char* to, std::int64_t bytes,
              std::int64_t offset) {
  while (bytes > 0) {
    const ssize_t got = pread(descriptor, to, std::size_t(bytes), off_t(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(tensor, std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) fail(tensor, "became shorter since the suite was read; run again");
    to += got;
    offset += got;
    bytes -= got;
  }
}

std::string hash_of(const RecordedTensor& tensor, int descriptor) {
  TensorHash hash;
  std::string piece;
  const std::int64_t bytes = bytes_in(tensor);
  for (std::int64_t at = 0; at < bytes; at += std::int64_t(piece.size())) {
    piece.resize(std::size_t(std::min(std::int64_t(TensorHash::kPiece), bytes - at)));
    read_all(tensor, descriptor, piece.data(), std::int64_t(piece.size()), tensor.offset + at);
    hash.add(piece);
  }
  return hash.text();
}

/// 0 to count - 1 in random order (Fisher and Yates, 1938).
std::vector<std::int64_t> order_of(std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  const std::uint64_t draws = random_bits(seed, kOfOrder);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random_bits(draws, i) % i]);
  return order;
}

/// Puts the slices of one dimension in that order. `from` and `to` hold the tensor row by row.
void copy_in_order(const char* from, char* to, const at::Tensor& shape, std::int64_t dimension,
                   std::uint64_t seed) {
  const std::int64_t count = shape.size(dimension);
  const std::int64_t bytes = shape.stride(dimension) * shape.element_size();
  const std::vector<std::int64_t> order = order_of(count, seed);
  const std::int64_t outer =
      count * bytes == 0 ? 0 : std::int64_t(shape.nbytes()) / (count * bytes);
  for (std::int64_t i = 0; i < outer; ++i)
    for (std::int64_t k = 0; k < count; ++k)
      std::memcpy(to + (i * count + k) * bytes, from + (i * count + order[std::size_t(k)]) * bytes,
                  std::size_t(bytes));
}

}  // namespace

RecordedInputs::~RecordedInputs() {
  for (const auto& [name, file] : opened_) close(file.descriptor);
}

const RecordedInputs::Opened& RecordedInputs::opened(const GeneratedTensor& wanted) {
  const std::pair name{wanted.file, wanted.tensor};
  if (const auto known = opened_.find(name); known != opened_.end()) return known->second;
  const auto found = std::ranges::find_if(recorded_, [&](const RecordedTensor& tensor) {
    return tensor.file == wanted.file && tensor.tensor == wanted.tensor;
  });
  if (found == recorded_.end())
    throw Error("the request names no tensor '" + wanted.tensor + "' of '" + wanted.file + "'");
  const int descriptor = open(found->path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(*found, std::string("cannot be opened: ") + std::strerror(errno));
  const bool has_several = found->shape.size() == wanted.shape.size() + 1;
  const Opened& file =
      opened_.emplace(name, Opened{&*found, descriptor, has_several ? found->shape.front() : 1})
          .first->second;
  if (hash_of(*found, descriptor) != found->hash)
    fail(*found, "changed since the suite was read; run again");
  return file;
}

std::uint64_t RecordedInputs::recording(std::uint64_t seed) const {
  std::int64_t recordings = 1;
  for (const auto& [name, file] : opened_) recordings = std::max(recordings, file.recordings);
  return random_bits(seed, kOfRecording) % std::uint64_t(recordings);
}

/// A part of the batch, whose values are replaced (verify/batch_invariance.h), is shorter than a
/// recording.
void RecordedInputs::fill(const at::Tensor& tensor, const GeneratedTensor& wanted,
                          std::uint64_t seed) {
  const auto& [recorded, descriptor, recordings] = opened(wanted);
  const std::int64_t recording_bytes = bytes_in(*recorded) / recordings;
  const std::int64_t recording =
      std::int64_t(random_bits(seed, kOfRecording) % std::uint64_t(recordings));
  const at::Tensor host = at::empty(tensor.sizes(), tensor.options().device(at::kCPU));
  const std::int64_t bytes = std::int64_t(host.nbytes());
  if (bytes > recording_bytes) fail(*recorded, "has fewer values than this part of the case needs");
  const std::int64_t offset = recorded->offset + recording * recording_bytes;
  if (wanted.shuffle && bytes > 0) {
    std::vector<char> read(static_cast<std::size_t>(bytes));
    read_all(*recorded, descriptor, read.data(), bytes, offset);
    copy_in_order(read.data(), static_cast<char*>(host.data_ptr()), host, *wanted.shuffle, seed);
  } else {
    read_all(*recorded, descriptor, static_cast<char*>(host.data_ptr()), bytes, offset);
  }
  // Equal values are no reason for another version; callers tell other ones.
  tensor.variable_data().copy_(host);
}

}  // namespace plumbline
