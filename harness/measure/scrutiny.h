/// What a sampler has done beside timed launches, so that none is fast without doing its work.
///
/// A cold launch gets contents that the process has not launched on before. Results are poisoned
/// before a sample and looked at after it, outside its window. One sample of a block, which nothing
/// that a launch can see tells, is launched again untimed. What is found wrong is thrown. The
/// sampler knows when; the worker knows how (worker/verify/timed_launches.h).
#pragma once

#include <cstdint>
#include <functional>

namespace plumbline {

/// Numbers of contents: those of the blocks' placements, of single samples, and so on. A visit has
/// none twice.
enum class ContentsOf : std::uint64_t { placement, sample, warm_up, probe, verification };

constexpr std::uint64_t contents_of(ContentsOf use, std::uint64_t number) {
  return (std::uint64_t(use) << 56) | number;
}

/// What a launch is readied for by Scrutiny::stage.
struct Staging {
  std::uint64_t seen = 0;   // contents
  int launches = 0;         // on them, ahead; 0: they were launched on
  bool is_new = false;      // the launch is on others
  std::uint64_t fresh = 0;  // those; the seen ones: near values (worker/verify/tensor_memory.h)
};

/// All null: nothing is done, as for launches that compute nothing.
struct Scrutiny {
  /// Random, of the run: which contents there are, and which sample is launched again.
  std::uint64_t draw = 0;
  /// Other contents at the placement at hand, and poison where results will lie. May wait for the
  /// device. The launch at hand computes on them from here on.
  std::function<void(std::uint64_t contents)> renew;
  /// Poison where the results of the launch before are. Enqueued.
  std::function<void()> poison;
  /// Poisons a random piece of the results of the launch before, or writes there what it holds,
  /// which takes as long: less than a microsecond. Of results in the host's memory.
  std::function<void(bool is_poisoned)> touch;
  /// Right behind a launch and touch(true): throws where somebody still writes results.
  std::function<void()> watch;
  /// A look at the results of the launch before. Enqueued.
  std::function<void()> look;
  /// Launches again, untimed, on the contents at hand, and compares with the launch before and
  /// with all looks at these contents.
  std::function<void()> repeat;
  /// Launches so often on the seen contents, then readies for a launch: on them with their results
  /// in place, or by the same work on the device on new ones with poison there.
  std::function<void(const Staging&)> stage;
  /// Whether launches leave their contents as they are.
  std::function<bool()> can_stage;

  /// Whether a sample that is not cold has to be on new contents as well: its launches change them,
  /// so that they cannot be looked at otherwise. Of a GPU's, the cold samples are looked at.
  bool is_renewed_for_all(bool is_cuda) const { return renew && !is_cuda && !can_stage(); }

  explicit operator bool() const { return static_cast<bool>(renew); }
};

}  // namespace plumbline
