#include "device/arena.h"

#include <algorithm>
#include <iterator>

#include "device/random.h"

namespace plumbline {
namespace {

constexpr std::size_t kNowhere = ~std::size_t{0};
constexpr std::uint64_t kHashedAttempts = 64;

std::size_t round_up(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

void Arena::adopt(void* base, std::size_t bytes) {
  base_ = static_cast<char*>(base);
  bytes_ = bytes;
  confine(0, 1);
}

void Arena::confine(int part, int parts) {
  const std::lock_guard lock(mutex_);
  const std::size_t share = bytes_ / std::size_t(parts) / kLargeAlignment * kLargeAlignment;
  begin_ = std::size_t(part) * share;
  end_ = parts == 1 ? bytes_ : begin_ + share;
}

void Arena::place(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  key_ = key;
  ordinal_ = 0;
  packed_end_ = 0;
  is_in_launch_ = false;
}

void Arena::begin_launch() {
  const std::lock_guard lock(mutex_);
  ordinal_ = 0;
  packed_end_ = 0;
  is_in_launch_ = true;
}

bool Arena::is_free(std::size_t offset, std::size_t bytes) const {
  const auto after = live_.lower_bound(offset);
  if (after != live_.end() && after->first < offset + bytes + kGuardBytes) return false;
  if (after == live_.begin()) return true;
  const auto before = std::prev(after);
  return before->first + before->second + kGuardBytes <= offset;
}

std::size_t Arena::first_fit(std::size_t from, std::size_t bytes, std::size_t alignment) const {
  std::size_t offset = round_up(from, alignment);
  auto next = live_.upper_bound(offset);
  if (next != live_.begin()) --next;  // the one before may reach into the part
  for (; next != live_.end() && next->first < offset + bytes + kGuardBytes; ++next)
    offset = round_up(std::max(offset, next->first + next->second + kGuardBytes), alignment);
  return offset + bytes + kGuardBytes <= end_ ? offset : kNowhere;
}

std::size_t Arena::scattered(std::size_t bytes, std::size_t alignment, std::uint64_t seed) const {
  // The other half keeps room for what is large.
  const std::size_t part = end_ - begin_;
  const bool is_small = bytes < part / 16;
  const std::size_t room = is_small ? part / 2 : part;
  // What is large lies in a grid of its size: elsewhere, gaps would be too small for the next one.
  const std::size_t pitch = is_small ? alignment : round_up(bytes + kGuardBytes, alignment);
  const std::size_t slots = (room - kGuardBytes - bytes - alignment) / pitch + 1;
  for (std::uint64_t attempt = 0; attempt < kHashedAttempts; ++attempt) {
    const std::size_t candidate =
        begin_ + alignment + std::size_t(random_bits(seed, attempt) % slots) * pitch;
    if (is_free(candidate, bytes)) return candidate;
  }
  return kNowhere;
}

std::size_t Arena::packed(std::size_t bytes, std::size_t alignment, std::uint64_t seed) {
  const bool is_in_part = packed_end_ > begin_ && packed_end_ < end_;
  const std::size_t from =
      is_in_part ? packed_end_
                 : begin_ + alignment + std::size_t(random_bits(seed, 0) % (end_ - begin_));
  const std::size_t offset = first_fit(from, bytes, alignment);
  if (offset != kNowhere) packed_end_ = offset + bytes + kGuardBytes;
  return offset;
}

void* Arena::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::size_t alignment = bytes >= kLargeFrom ? kLargeAlignment : kSmallAlignment;
  const std::size_t length = round_up(std::max<std::size_t>(bytes, 1), kSmallAlignment);
  if (length + kGuardBytes + alignment > end_ - begin_) return nullptr;
  const std::uint64_t stream = random_bits(key_, is_in_launch_ ? 1 : 0);
  const std::uint64_t seed = random_bits(stream, ordinal_++);
  std::size_t offset = live_.size() < kMostScattered ? scattered(length, alignment, seed)
                                                     : packed(length, alignment, seed);
  // The last resort if the part is crowded; leaves room for the guard band before the first one.
  if (offset == kNowhere) offset = first_fit(begin_ + alignment, length, alignment);
  if (offset == kNowhere) return nullptr;
  live_.emplace(offset, length);
  live_bytes_ += length;
  return base_ + offset;
}

void Arena::release(void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(static_cast<std::size_t>(static_cast<char*>(address) - base_));
  if (found == live_.end()) return;
  live_bytes_ -= found->second;
  live_.erase(found);
}

std::span<char> Arena::room_around(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - base_);
  const auto found = live_.find(offset);
  if (found == live_.end() || offset < begin_ || offset >= end_) return {};
  const std::size_t behind = offset + found->second;
  std::size_t first = offset - std::min(kFarBytes, offset - begin_);
  std::size_t last = behind + std::min(kFarBytes, end_ - behind);
  if (found != live_.begin()) {
    const auto before = std::prev(found);
    first = std::max(first, before->first + before->second + kGuardBytes);
  }
  if (const auto after = std::next(found); after != live_.end())
    last = std::min(last, after->first - kGuardBytes);
  return {base_ + first, base_ + last};
}

}  // namespace plumbline
