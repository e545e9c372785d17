#include "device/guard_bands.h"

#include <algorithm>
#include <iterator>

#include "device/arena.h"

namespace plumbline {
namespace {

std::size_t rounded(std::size_t bytes) {
  return (bytes + Arena::kSmallAlignment - 1) / Arena::kSmallAlignment * Arena::kSmallAlignment;
}

}  // namespace

std::vector<GuardBand> GuardBands::watch(void* address, std::size_t bytes) {
  char* const begin = static_cast<char*>(address);
  char* const end = begin + rounded(bytes);
  std::erase_if(bands_, [&](const auto& entry) {
    const GuardBand& band = entry.second;
    return band.begin < end && begin < band.begin + band.bytes;
  });
  allocations_[begin] = bytes;
  std::vector<GuardBand> added;
  for (const GuardBand& band :
       {GuardBand{begin - Arena::kGuardBytes, Arena::kGuardBytes, begin},
        GuardBand{begin + bytes, std::size_t(end - begin) - bytes + Arena::kGuardBytes, begin}})
    if (!is_used(band)) bands_[band.begin] = band, added.push_back(band);
  return added;
}

/// Memory that an earlier allocation of the same launch had, and will have in the next one.
bool GuardBands::is_used(const GuardBand& band) const {
  const auto after = allocations_.upper_bound(band.begin + band.bytes - 1);
  return std::any_of(allocations_.begin(), after, [&](const auto& allocation) {
    return allocation.first != band.allocation &&
           allocation.first + rounded(allocation.second) > band.begin;
  });
}

bool GuardBands::knows(const void* address, std::size_t bytes) const {
  const auto found = allocations_.find(static_cast<char*>(const_cast<void*>(address)));
  return found != allocations_.end() && found->second == bytes;
}

std::vector<GuardBand> GuardBands::bands() const {
  std::vector<GuardBand> list;
  list.reserve(bands_.size());
  for (const auto& [begin, band] : bands_) list.push_back(band);
  return list;
}

std::string GuardBands::in_words(const GuardBand& band) const {
  const auto found = allocations_.find(band.allocation);
  const std::string size = found == allocations_.end() ? "?" : std::to_string(found->second);
  return std::string(band.begin < band.allocation ? "before" : "after") + " an allocation of " +
         size + " bytes";
}

}  // namespace plumbline
