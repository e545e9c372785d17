/// Rows of one run in one block of series, as bytes with a checksum.
///
/// A block is kBlockSeries series with successive numbers. Reading one case takes its block of
/// every run, a few kB each; reading all takes the blocks one after another. Little-endian, as all
/// machines that Plumbline runs on. Knows no database.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/history/history.h"

namespace plumbline {

inline constexpr std::int64_t kBlockSeries = 64;

inline std::int64_t block_of(std::int64_t series) { return series / kBlockSeries; }

/// Appends a row of the series with that number to the bytes of its block.
void pack_row(std::string& bytes, std::int64_t series, const StoredRow& row);

/// Ends the bytes of a block with their checksum.
void seal(std::string& bytes);
/// The bytes without their checksum. Throws DatabaseError (damaged) if it does not fit.
std::string_view unsealed(std::string_view bytes);
/// Checksum of texts, which are told apart; for rows of other tables.
std::int64_t seal_of(std::span<const std::string_view> texts);

/// Throws DatabaseError that says that the index is damaged.
[[noreturn]] void fail_damaged(const std::string& what);

/// The rows of one block, of many runs, by series.
class BlockRows {
 public:
  explicit BlockRows(std::int64_t block) : block_(block), rows_(std::size_t(kBlockSeries)) {}
  /// Takes the sealed bytes of a run. Throws DatabaseError if they are damaged.
  void add(std::int64_t run, std::string_view bytes);
  /// Rows of series block * kBlockSeries + slot. Valid until the next add().
  std::span<const StoredRow> rows(std::size_t slot);

 private:
  struct Held {
    StoredRow row;
    std::size_t first_mean, means;  // in means_
  };
  std::int64_t block_;
  std::vector<std::vector<Held>> rows_;
  std::vector<double> means_;
  std::vector<StoredRow> shown_;
};

}  // namespace plumbline
