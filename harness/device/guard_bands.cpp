#include "device/guard_bands.h"

#include <algorithm>
#include <iterator>

#include "device/arena.h"

namespace plumbline {
namespace {

/// The longest band: a guard and the unused rest of the last slot of the allocation before it.
constexpr std::size_t kLongestBand = Arena::kGuardBytes + Arena::kSmallAlignment - 1;

/// 64 MB: the most that far bands touch for a launch with thousands of allocations, as of an RNN.
constexpr std::size_t kMostFar = 1024;

std::size_t rounded(std::size_t bytes) {
  return (bytes + Arena::kSmallAlignment - 1) / Arena::kSmallAlignment * Arena::kSmallAlignment;
}

}  // namespace

std::string in_words(const GuardBand& band) {
  return std::string(band.begin < band.allocation ? "before" : "after") + " an allocation of " +
         std::to_string(band.allocation_bytes) + " bytes";
}

std::vector<GuardBand> GuardBands::watch(void* address, std::size_t bytes) {
  char* const begin = static_cast<char*>(address);
  char* const end = begin + rounded(bytes);
  make_way(address, bytes);
  std::vector<GuardBand> added;
  for (const GuardBand& band :
       {GuardBand{begin - Arena::kGuardBytes, Arena::kGuardBytes, begin, bytes},
        GuardBand{begin + bytes, std::size_t(end - begin) - bytes + Arena::kGuardBytes, begin,
                  bytes}})
    if (!is_used(band)) bands_[band.begin] = band, added.push_back(band);
  allocations_.emplace(begin, bytes);
  return added;
}

void GuardBands::make_way(void* address, std::size_t bytes) {
  char* const begin = static_cast<char*>(address);
  char* const end = begin + rounded(bytes);
  forget(bands_, kLongestBand, begin, end);
  forget(far_, Arena::kFarBytes, begin, end);
  use(begin, begin + bytes);
}

std::vector<GuardBand> GuardBands::watch_far(void* address, std::size_t bytes,
                                             std::span<char> room) {
  char* const begin = static_cast<char*>(address) - Arena::kGuardBytes;
  char* const end = static_cast<char*>(address) + rounded(bytes) + Arena::kGuardBytes;
  std::vector<GuardBand> added;
  const auto add = [&](char* from, char* to) {
    if (from >= to) return;
    const GuardBand band{from, std::size_t(to - from), static_cast<char*>(address), bytes};
    if (!is_used(band)) far_[from] = band, added.push_back(band);
  };
  if (room.empty() || far_.size() >= kMostFar) return added;
  add(room.data(), begin);
  add(end, room.data() + room.size());
  return added;
}

std::vector<std::pair<char*, std::size_t>> GuardBands::allocations() const {
  return {allocations_.begin(), allocations_.end()};
}

/// Forgets bands that lie in [begin, end) or reach into it. Each of the former is visited once and
/// removed. Few reach into it, because bands are short.
void GuardBands::forget(Bands& bands, std::size_t longest, char* begin, char* end) {
  for (auto band = bands.lower_bound(begin - longest); band != bands.end();) {
    if (band->first >= end) return;
    band = band->first + band->second.bytes > begin ? bands.erase(band) : std::next(band);
  }
}

bool GuardBands::is_used(const GuardBand& band) const {
  const auto after = used_.lower_bound(band.begin + band.bytes);
  return after != used_.begin() && std::prev(after)->second > band.begin;
}

/// Joins [begin, end) with the ranges of used_ that it touches.
void GuardBands::use(char* begin, char* end) {
  auto next = used_.upper_bound(begin);
  if (next != used_.begin() && std::prev(next)->second >= begin) {
    --next;
    begin = next->first;
  }
  while (next != used_.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = used_.erase(next);
  }
  used_.emplace_hint(next, begin, end);
}

bool GuardBands::knows(const void* address, std::size_t bytes) const {
  return allocations_.contains({static_cast<char*>(const_cast<void*>(address)), bytes});
}

void GuardBands::clear() {
  allocations_.clear();
  used_.clear();
  bands_.clear();
  far_.clear();
}

std::vector<GuardBand> GuardBands::bands() const {
  std::vector<GuardBand> list;
  list.reserve(bands_.size() + far_.size());
  for (const Bands* bands : {&bands_, &far_})
    for (const auto& [begin, band] : *bands) list.push_back(band);
  return list;
}

}  // namespace plumbline
