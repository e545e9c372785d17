#include "worker/workloads/least_memory.h"

#include <array>
#include <cstdio>
#include <utility>

namespace plumbline {
namespace {

/// "12884901888 bytes (12.0 GiB)".
std::string in_words(double bytes) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%.0f bytes (%.1f GiB)", bytes, bytes / (1 << 30));
  return text.data();
}

}  // namespace

double bytes_of(const std::vector<std::int64_t>& shape, DType dtype) {
  double bytes = double(info(dtype).bytes);
  for (const std::int64_t size : shape) bytes *= double(size);
  return bytes;
}

std::string lack_of_room(const LeastMemory& one, std::size_t instances, bool has_copies,
                         double room_bytes) {
  const double count = double(instances);
  const std::array parts{std::pair{count * one.inputs, "inputs"},
                         std::pair{count * one.results, "results"},
                         std::pair{count * one.expected, "expected results in float64"},
                         std::pair{has_copies ? one.copies : 0, "copies of inputs in float64"}};
  double needed = 0;
  std::string list;
  for (const auto& [bytes, name] : parts) {
    if (bytes == 0) continue;
    needed += bytes;
    list += (list.empty() ? "" : ", ") + std::string(name) + " " + in_words(bytes);
  }
  if (needed <= room_bytes) return "";
  return "needs at least " + in_words(needed) + " of the device's memory: " + list +
         "; there are " + in_words(room_bytes) + " for the tensors of a case";
}

}  // namespace plumbline
