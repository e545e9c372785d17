/// What a sampler does beside timed launches, so that no launch is fast without doing its work.
///
/// A cold launch gets contents that the process has not launched on before. Results are poisoned
/// before a sample and checked after it, outside its window. One sample of each block is launched
/// again untimed; a launch cannot know which one. Anything wrong is thrown. The sampler knows when
/// to do this; the worker knows how (worker/verify/timed_launches.h).
#pragma once

#include <cstdint>
#include <functional>

namespace plumbline {

/// Numbers of contents by their use: placements of blocks, single samples, and so on. A visit never
/// uses a number twice.
enum class ContentsOf : std::uint64_t { placement, sample, warm_up, probe, verification };

constexpr std::uint64_t contents_of(ContentsOf use, std::uint64_t number) {
  return (std::uint64_t(use) << 56) | number;
}

/// What Scrutiny::stage prepares a launch for.
struct Staging {
  std::uint64_t seen = 0;   // contents that count as seen
  int launches = 0;         // launches on them before; 0: already launched on
  bool is_new = false;      // the launch uses new contents
  std::uint64_t fresh = 0;  // the new ones; on seen ones: near values
                            // (worker/verify/tensor_memory.h)
};

/// All functions null: nothing is done, as for launches that compute nothing.
struct Scrutiny {
  /// Random for each run: determines the contents and which sample is launched again.
  std::uint64_t draw = 0;
  /// Puts other contents at the current placement and poison where results will be. May wait for
  /// the device. The current launch uses these contents from now on.
  std::function<void(std::uint64_t contents)> renew;
  /// Poisons the results of the previous launch. Enqueued.
  std::function<void()> poison;
  /// Poisons a random piece of the previous launch's results, or writes back the same bytes, which
  /// takes as long: less than a microsecond. For results in host memory.
  std::function<void(bool is_poisoned)> touch;
  /// Right after a launch and touch(true): throws if something still writes results.
  std::function<void()> watch;
  /// Takes a digest of the previous launch's results. Enqueued.
  std::function<void()> look;
  /// Launches again, untimed, on the current contents. Compares with the previous launch and with
  /// all digests for these contents.
  std::function<void()> repeat;
  /// Launches `launches` times on the seen contents, then prepares a launch: on them with their
  /// results in place, or, after the same work on the device, on new ones with poison in place.
  std::function<void(const Staging&)> stage;
  /// Whether launches do not change their contents.
  std::function<bool()> can_stage;

  /// Whether samples that are not cold also need new contents: their launches change them, so that
  /// results cannot be checked otherwise. On a GPU, only cold samples are checked.
  bool is_renewed_for_all(bool is_cuda) const { return renew && !is_cuda && !can_stage(); }

  explicit operator bool() const { return static_cast<bool>(renew); }
};

}  // namespace plumbline
