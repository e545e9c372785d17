/// Expected results that a run's workers share: the first one that needs them computes them, later
/// ones read them.
///
/// A new process must load the reference's float64 kernels again, which takes longer than its
/// measurements. The file is anonymous memory that plumbline holds open during the run, so that
/// nothing remains after the run. One worker at a time writes. If a worker dies while writing, the
/// next one overwrites the incomplete record. Knows no cases.
///
/// The file consists of records: a header {magic, key, bytes of what follows, tensors}, uint64 each
/// and two for the key, and for each tensor its type and number of dimensions (int64 each), its
/// sizes (int64), and its elements, row by row, padded to 8 bytes. A header is written after its
/// record.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "backends/implementation.h"
#include "core/cache_key.h"
#include "device/device.h"

namespace plumbline {

class KeptResults {
 public:
  /// `descriptor` belongs to the caller; below 0, nothing is kept. `limit_bytes`: of the file.
  KeptResults(int descriptor, std::uint64_t limit_bytes);

  /// The results kept under the key, on the device, or else what `compute` returns there. That is
  /// kept if computing took longer than reading it back will. Exceptions of `compute` pass and are
  /// not kept.
  Tensors get(const CacheBits& key, Device& device, bool is_cuda,
              const std::function<Tensors()>& compute);

  bool knows(const CacheBits& key) const { return places_.contains(key); }
  std::size_t size() const { return places_.size(); }

 private:
  struct Place {
    std::uint64_t offset, bytes, tensors;
  };
  void find_records();
  Tensors read(const Place& place, bool is_cuda) const;  // {}: could not be read
  void keep(const CacheBits& key, const Tensors& results);

  int descriptor_;
  std::uint64_t limit_bytes_;
  std::uint64_t end_ = 0;  // of the last complete record
  std::map<CacheBits, Place> places_;
};

/// For a worker's process: $PLUMBLINE_KEPT_RESULTS is the descriptor's number. The limit is 8 GiB
/// or a sixteenth of the machine's memory, whichever is less.
KeptResults inherited_results();

}  // namespace plumbline
