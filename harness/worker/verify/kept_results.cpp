#include "worker/verify/kept_results.h"

#include <ATen/ops/from_blob.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {
namespace {

constexpr std::uint64_t kMagic = 0x706c756d626c6e32;  // "plumbln2"
/// As procfs shows files in memory.
constexpr std::string_view kMemoryFile = "/memfd:";
/// For memory that a GPU copies through the driver's staging buffers, and for a CPU's copies.
constexpr double kReadBack_bytes_per_s = 4e9;
constexpr std::uint64_t kLimit_bytes = std::uint64_t{8} << 30;
constexpr std::uint64_t kShareOfMemory = 16;

struct Header {
  std::uint64_t magic = 0;
  CacheBits key{};
  std::uint64_t bytes = 0, tensors = 0;
};

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

std::uint64_t bytes_of(const Tensors& tensors) {
  std::uint64_t bytes = 0;
  for (const at::Tensor& tensor : tensors)
    bytes += (2 + std::uint64_t(tensor.dim())) * sizeof(std::int64_t) + padded(tensor.nbytes());
  return bytes;
}

bool write_all(int descriptor, const void* data, std::uint64_t bytes, std::uint64_t offset) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = pwrite(descriptor, from, bytes, off_t(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += written;
    offset += std::uint64_t(written);
    bytes -= std::uint64_t(written);
  }
  return true;
}

bool write_tensor(int descriptor, const at::Tensor& tensor, std::uint64_t& offset) {
  std::vector<std::int64_t> form{std::int64_t(tensor.scalar_type()), tensor.dim()};
  form.insert(form.end(), tensor.sizes().begin(), tensor.sizes().end());
  const std::uint64_t form_bytes = form.size() * sizeof(std::int64_t);
  if (!write_all(descriptor, form.data(), form_bytes, offset)) return false;
  offset += form_bytes;
  if (!write_all(descriptor, tensor.const_data_ptr(), tensor.nbytes(), offset)) return false;
  offset += padded(tensor.nbytes());
  return true;
}

/// A part of the file, mapped during the object's lifetime.
class Mapping {
 public:
  Mapping(int descriptor, std::uint64_t offset, std::uint64_t bytes)
      : skipped_(offset % std::uint64_t(sysconf(_SC_PAGESIZE))), bytes_(skipped_ + bytes) {
    address_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor,
                    off_t(offset - skipped_));
  }
  ~Mapping() {
    if (is_there()) munmap(address_, bytes_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  bool is_there() const { return address_ != MAP_FAILED; }
  char* begin() const { return static_cast<char*>(address_) + skipped_; }

 private:
  std::uint64_t skipped_, bytes_;
  void* address_ = nullptr;
};

/// A tool between plumbline and the worker may use the same number for another file.
bool is_memory_file(int descriptor) {
  std::array<char, kMemoryFile.size()> name{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  return descriptor >= 0 &&
         readlink(link.c_str(), name.data(), name.size()) == ssize_t(name.size()) &&
         std::string_view(name.data(), name.size()) == kMemoryFile;
}

/// The tensor at `at`, copied to the device; moves `at` to its end.
at::Tensor tensor_at(char*& at, at::Device home) {
  std::array<std::int64_t, 2> form{};
  std::memcpy(form.data(), at, sizeof form);
  at += sizeof form;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(form[1]));
  std::memcpy(sizes.data(), at, sizes.size() * sizeof(std::int64_t));
  at += sizes.size() * sizeof(std::int64_t);
  const at::Tensor kept =
      at::from_blob(at, sizes, at::TensorOptions().dtype(at::ScalarType(form[0])));
  at += padded(kept.nbytes());
  return kept.to(home, /*non_blocking=*/false, /*copy=*/true);
}

}  // namespace

KeptResults::KeptResults(int descriptor, std::uint64_t limit_bytes)
    : descriptor_(descriptor), limit_bytes_(limit_bytes) {
  if (descriptor_ >= 0) find_records();
}

void KeptResults::find_records() {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) {
    descriptor_ = -1;
    return;
  }
  const auto size = std::uint64_t(status.st_size);
  for (Header header; end_ + sizeof header <= size; end_ += sizeof header + header.bytes) {
    if (pread(descriptor_, &header, sizeof header, off_t(end_)) != ssize_t(sizeof header)) return;
    if (header.magic != kMagic || end_ + sizeof header + header.bytes > size) return;
    places_[header.key] = {end_ + sizeof header, header.bytes, header.tensors};
  }
}

Tensors KeptResults::get(const CacheBits& key, Device& device, bool is_cuda,
                         const std::function<Tensors()>& compute) {
  if (const auto found = places_.find(key); found != places_.end())
    if (Tensors kept = read(found->second, is_cuda); !kept.empty()) return kept;
  if (descriptor_ < 0) return compute();
  device.synchronize();
  const double begin_s = device.now_s();
  Tensors results = compute();
  device.synchronize();
  const double took_s = device.now_s() - begin_s;
  if (took_s > double(bytes_of(results)) / kReadBack_bytes_per_s) keep(key, results);
  return results;
}

Tensors KeptResults::read(const Place& place, bool is_cuda) const {
  const Mapping mapping(descriptor_, place.offset, place.bytes);
  Tensors results;
  if (!mapping.is_there()) return results;
  char* at = mapping.begin();
  for (std::uint64_t i = 0; i < place.tensors; ++i)
    results.push_back(tensor_at(at, is_cuda ? at::kCUDA : at::kCPU));
  return results;
}

/// If there is no room, the file stays unchanged.
void KeptResults::keep(const CacheBits& key, const Tensors& results) {
  const Header header{kMagic, key, bytes_of(results), results.size()};
  if (end_ + sizeof header + header.bytes > limit_bytes_) return;
  const std::uint64_t begin = end_ + sizeof header;
  std::uint64_t offset = begin;
  for (const at::Tensor& result : results)
    if (!write_tensor(descriptor_, result.cpu().contiguous(), offset)) return;
  if (ftruncate(descriptor_, off_t(offset)) != 0) return;  // pads the last record
  if (!write_all(descriptor_, &header, sizeof header, end_)) return;
  places_[key] = {begin, header.bytes, header.tensors};
  end_ = offset;
}

KeptResults inherited_results() {
  const char* const text = std::getenv("PLUMBLINE_KEPT_RESULTS");
  const int descriptor = text == nullptr ? -1 : std::atoi(text);
  const std::uint64_t memory_bytes =
      std::uint64_t(sysconf(_SC_PHYS_PAGES)) * std::uint64_t(sysconf(_SC_PAGESIZE));
  return KeptResults(is_memory_file(descriptor) ? descriptor : -1,
                     std::min(kLimit_bytes, memory_bytes / kShareOfMemory));
}

}  // namespace plumbline
