/// Did the timed launches of a visit do their work? What was seen of each, and what comes of it.
///
/// Every timed launch is looked at: its results were poisoned before it, and a digest is taken
/// after it (measure/scrutiny.h). One of each block is launched again untimed on the same contents:
/// its digest has to come again, or, where launches vary, its results within the bounds. Some of
/// these are compared with the float64 reference, which is computed when all timed launches are
/// over.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "measure/scrutiny.h"
#include "worker/verify/instance.h"
#include "worker/verify/tensor_memory.h"
#include "worker/verify/visit_subject.h"

namespace plumbline {

/// The launches that are watched, at whatever placement is at hand.
struct WatchedLaunches {
  Instance& instance;
  /// New inputs, and launches readied on them.
  std::function<void(std::uint64_t contents)> renew;
  /// The same, and results lie where none of an earlier launch do that are still held.
  std::function<void(std::uint64_t contents)> remake;
  std::function<void()> launch;      // one, untimed
  std::function<void()> settle;      // waits for all work, whatever stream or thread it is on
  std::function<Tensors()> results;  // of the launch before
  std::function<const Prepared&()> prepared;  // it
};

class TimedLaunches {
 public:
  TimedLaunches(WatchedLaunches launches, Device& device, std::uint64_t draw);

  /// What the sampler calls. All of it throws VisitFailure where a launch did not do its work.
  Scrutiny scrutiny();
  /// Contents have changed with the placement.
  void are_on(std::uint64_t contents);

  /// When all timed launches are over: looks that nothing explains, and references.
  void judge_all(const Judge& judge);
  /// Launches on so many contents that were not there yet.
  void judge_others(int count, const Judge& judge);

 private:
  /// What was seen of a timed sample: of its last launch.
  struct Look {
    std::uint64_t contents = 0;
    Digest digest;
    bool is_explained = false;  // a launch that was repeated gave the same
  };

  void renew(std::uint64_t contents);
  void poison();
  void touch(bool is_poisoned);
  void watch();
  void look();
  void repeat();
  void stage(const Staging& staging);
  void find_places();
  bool is_mutating() const { return launches_.instance.workload().is_mutating(); }
  /// Inputs have gone through several launches that change them.
  bool has_drifted() const { return is_mutating() && is_hot_; }
  void require_values(const Tensors& timed, const Digest& again);
  std::vector<MemorySpan> own_spans() const;
  void collect_looks();
  /// And so many digests that were asked for behind the looks.
  template <std::size_t kOthers>
  std::array<Digest, kOthers> collect_looks_and_others();
  void launch_on(std::uint64_t contents);
  Digest launch_again(std::uint64_t contents);
  void remake_and_launch(Tensors& timed);
  void compare(const Tensors& timed, const Digest& again);
  void compare_values(const Tensors& timed);
  void explain(Look& look);
  Tensors timed_results();
  bool expect_reference();
  bool is_claimed();
  void judge_some(const Judge& judge);
  void judge_one(std::uint64_t contents, const Judge& judge);
  void require_no_late_results(std::uint64_t contents);
  bool may_repeat_by_chance();
  void fail(const Look& look, const Digest& again);
  bool is_of_other_contents(const Look& look) const;

  WatchedLaunches launches_;
  Device& device_;
  std::uint64_t draw_;
  std::uint64_t contents_ = 0;            // at hand
  bool is_hot_ = false;                   // several launches on them
  std::vector<std::uint64_t> looked_at_;  // contents of the digests that the device has
  std::vector<Look> looks_;
  std::vector<std::uint64_t> repeated_;  // contents
  MemorySpan touched_{};                 // results that lie where they lay are written to
  std::span<unsigned char> piece_;       // that was
  std::uint64_t touches_ = 0;
  std::optional<bool> is_claimed_;
  /// Where a result lies in every launch on this placement, and what is put there.
  struct Staged {
    at::Tensor place, kept, poison;  // bytes
  };
  std::vector<Staged> staged_;
};

}  // namespace plumbline
