#include "store/index/packed_rows.h"

#include <bit>
#include <cstring>

#include "core/cache_key.h"
#include "store/index/sqlite.h"

namespace plumbline {
namespace {

static_assert(std::endian::native == std::endian::little);

/// What stands before the means of a row's visits.
struct Head {
  std::uint32_t slot, means, position, unused;
  double estimate, low, high, tail;
};

std::uint64_t checksum_of(std::string_view bytes) { return cache_bits(bytes)[0]; }

}  // namespace

void fail_damaged(const std::string& what) { throw DatabaseError("it is damaged: " + what, true); }

void pack_row(std::string& bytes, std::int64_t series, const StoredRow& row) {
  const Head head{std::uint32_t(series % kBlockSeries),
                  std::uint32_t(row.visit_means.size()),
                  row.position,
                  0,
                  row.estimate,
                  row.low,
                  row.high,
                  row.tail};
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
  bytes.append(reinterpret_cast<const char*>(row.visit_means.data()), row.visit_means.size_bytes());
}

void seal(std::string& bytes) {
  const std::uint64_t sum = checksum_of(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

std::string_view unsealed(std::string_view bytes) {
  std::uint64_t sum = 0;
  if (bytes.size() < sizeof sum) fail_damaged("a block of rows is cut");
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof sum, sizeof sum);
  bytes.remove_suffix(sizeof sum);
  if (checksum_of(bytes) != sum) fail_damaged("the checksum of a block of rows does not fit");
  return bytes;
}

std::int64_t seal_of(std::span<const std::string_view> texts) {
  std::string all;
  for (const std::string_view text : texts)
    all.append(std::to_string(text.size())).append(" ").append(text);
  return std::int64_t(checksum_of(all));
}

void BlockRows::add(std::int64_t run, std::string_view sealed) {
  std::string_view bytes = unsealed(sealed);
  while (!bytes.empty()) {
    Head head;
    if (bytes.size() < sizeof head) fail_damaged("a row of block " + std::to_string(block_));
    std::memcpy(&head, bytes.data(), sizeof head);
    bytes.remove_prefix(sizeof head);
    const std::size_t size = head.means * sizeof(double);
    if (head.slot >= rows_.size() || bytes.size() < size)
      fail_damaged("a row of block " + std::to_string(block_));
    const std::size_t first = means_.size();
    means_.resize(first + head.means);
    if (size > 0) std::memcpy(&means_[first], bytes.data(), size);
    bytes.remove_prefix(size);
    rows_[head.slot].push_back(
        {{run, head.position, head.estimate, head.low, head.high, head.tail, {}},
         first,
         head.means});
  }
}

std::span<const StoredRow> BlockRows::rows(std::size_t slot) {
  shown_.clear();
  for (const Held& held : rows_[slot]) {
    shown_.push_back(held.row);
    shown_.back().visit_means = std::span(means_).subspan(held.first_mean, held.means);
  }
  return shown_;
}

}  // namespace plumbline
