/// Checks that the timed launches of a visit did their work.
///
/// Every timed launch is checked: its results are poisoned before it, and a digest is taken after
/// it (measure/scrutiny.h). One launch of each block is repeated untimed on the same contents. It
/// must give the same digest or, if launches vary, results within the bounds. Some of the repeated
/// launches are compared with the float64 reference, which is computed when all timed launches are
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

/// The launches that are checked, at the current placement.
struct WatchedLaunches {
  Instance& instance;
  /// Makes new inputs and prepares launches on them.
  std::function<void(std::uint64_t contents)> renew;
  /// The same, with results at places where no held results of an earlier launch lie.
  std::function<void(std::uint64_t contents)> remake;
  std::function<void()> launch;               // one, untimed
  std::function<void()> settle;               // waits for all work on all streams and threads
  std::function<Tensors()> results;           // of the previous launch
  std::function<const Prepared&()> prepared;  // the current one
};

class TimedLaunches {
 public:
  TimedLaunches(WatchedLaunches launches, Device& device, std::uint64_t draw);

  /// The functions for the sampler. All throw VisitFailure if a launch did not do its work.
  Scrutiny scrutiny();
  /// The placement, and with it the contents, has changed.
  void are_on(std::uint64_t contents);

  /// Call when all timed launches are over: explains remaining digests and compares with
  /// references.
  void judge_all(const Judge& judge);
  /// Launches on `count` new contents.
  void judge_others(int count, const Judge& judge);

 private:
  /// The digest of a timed sample's last launch.
  struct Look {
    std::uint64_t contents = 0;
    std::uint64_t inputs = 0;  // inputs_now() of these contents
    Digest digest;
    bool is_explained = false;  // a repeated launch gave the same
  };

  void renew(std::uint64_t contents);
  void poison();
  void touch(bool is_poisoned);
  void watch();
  void look();
  void repeat();
  void stage(const Staging& staging);
  void find_places();
  Tensors changeable_inputs() const;
  void judge_near();
  bool is_mutating() const { return launches_.instance.workload().is_mutating(); }
  /// Inputs have gone through several launches that change them.
  bool has_drifted() const { return is_mutating() && is_hot_; }
  void require_values(const Tensors& timed, const Digest& again);
  std::vector<MemorySpan> own_spans() const;
  std::uint64_t inputs_now() const;
  void collect_looks();
  /// Also returns digests that were requested after the looks.
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
  bool has_few_results();
  bool may_repeat_by_chance(const Look& look);
  void fail(const Look& look, const Digest& again);
  bool is_of_other_contents(const Look& look) const;

  WatchedLaunches launches_;
  Device& device_;
  std::uint64_t draw_;
  std::uint64_t contents_ = 0;   // current
  bool is_hot_ = false;          // several launches on them
  std::vector<Look> looked_at_;  // their digests are on the device
  std::vector<Look> looks_;
  std::vector<std::uint64_t> repeated_;  // contents
  MemorySpan touched_{};                 // written to if results lie there again
  std::span<unsigned char> piece_;       // the part that was written
  std::uint64_t touches_ = 0;
  std::optional<bool> is_claimed_;
  /// The place of a result in every launch at this placement, and what is put there.
  struct Staged {
    at::Tensor place, kept, poison;  // bytes
  };
  std::vector<Staged> staged_;
};

}  // namespace plumbline
