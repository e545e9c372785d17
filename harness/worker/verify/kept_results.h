/// Expected results that a run's workers hand on: computed by the first that needs them, read by
/// those that come after.
///
/// A fresh process loads the reference's float64 kernels anew, which takes longer than what it
/// measures. The file is anonymous memory that plumbline holds open while the run lasts, so that
/// nothing of it outlives the run. One worker at a time writes; what one left half written when it
/// died is overwritten by the next. Knows no cases.
///
/// The file: records of a header {magic, key, bytes of what follows, tensors}, uint64 each and two
/// for the key, and for each tensor its type and number of dimensions (int64 each), its sizes
/// (int64), its elements, row by row, padded to 8 bytes. A header is written behind its record.
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
  /// `descriptor` stays the caller's; below 0 nothing is kept. `limit_bytes`: of the file.
  KeptResults(int descriptor, std::uint64_t limit_bytes);

  /// What was kept under the key, on the device, else what `compute` returns there; that is kept if
  /// it took longer than reading it back will. What `compute` throws passes, and is not kept.
  Tensors get(const CacheBits& key, Device& device, bool is_cuda,
              const std::function<Tensors()>& compute);

  std::size_t size() const { return places_.size(); }

 private:
  struct Place {
    std::uint64_t offset, bytes, tensors;
  };
  void find_records();
  Tensors read(const Place& place, bool is_cuda) const;  // {} = it could not be read
  void keep(const CacheBits& key, const Tensors& results);

  int descriptor_;
  std::uint64_t limit_bytes_;
  std::uint64_t end_ = 0;  // of the last whole record
  std::map<CacheBits, Place> places_;
};

/// Descriptor and limit of a worker's process: $PLUMBLINE_KEPT_RESULTS is the descriptor's number.
/// At most 8 GiB and a sixteenth of the machine's memory.
KeptResults inherited_results();

}  // namespace plumbline
