#include "device/guard_bands.h"

#include <algorithm>
#include <iterator>

#include "device/arena.h"

namespace plumbline {
namespace {

/// A band and what is left of the last slot of the allocation before it.
constexpr std::size_t kLongestBand = Arena::kGuardBytes + Arena::kSmallAlignment - 1;

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
  forget_bands(begin, end);
  std::vector<GuardBand> added;
  for (const GuardBand& band :
       {GuardBand{begin - Arena::kGuardBytes, Arena::kGuardBytes, begin, bytes},
        GuardBand{begin + bytes, std::size_t(end - begin) - bytes + Arena::kGuardBytes, begin,
                  bytes}})
    if (!is_used(band)) bands_[band.begin] = band, added.push_back(band);
  allocations_.emplace(begin, bytes);
  use(begin, begin + bytes);
  return added;
}

/// Those that lie in [begin, end) or reach into it: of the former each is looked at once before it
/// is gone, the latter are few, because bands are short.
void GuardBands::forget_bands(char* begin, char* end) {
  for (auto band = bands_.lower_bound(begin - kLongestBand); band != bands_.end();) {
    if (band->first >= end) return;
    band = band->first + band->second.bytes > begin ? bands_.erase(band) : std::next(band);
  }
}

bool GuardBands::is_used(const GuardBand& band) const {
  const auto after = used_.lower_bound(band.begin + band.bytes);
  return after != used_.begin() && std::prev(after)->second > band.begin;
}

/// Joins [begin, end) with what it touches of used_.
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
  return allocations_.contains({static_cast<const char*>(address), bytes});
}

void GuardBands::clear() {
  allocations_.clear();
  used_.clear();
  bands_.clear();
}

std::vector<GuardBand> GuardBands::bands() const {
  std::vector<GuardBand> list;
  list.reserve(bands_.size());
  for (const auto& [begin, band] : bands_) list.push_back(band);
  return list;
}

}  // namespace plumbline
