/// What the workers of one device learned about contexts: how short the chain of kernels is in the
/// fastest kind of them (context_chain_s, device/cuda/context_draw.h). A worker that reaches it
/// stops searching.
#pragma once

#include <functional>
#include <limits>
#include <utility>

#include "core/run/context_kind.h"

namespace plumbline {

class FastestChain {
 public:
  FastestChain() = default;
  /// `earlier_s`: what an earlier command found. It counts only until a worker reports, because
  /// another clock may have put it out of reach. `keep` gets each new value for later commands.
  FastestChain(double earlier_s, std::function<void(double)> keep)
      : seconds_(earlier_s), is_of_earlier_command_(true), keep_(std::move(keep)) {}

  /// Infinite if nothing is known.
  double seconds() const { return seconds_; }

  /// A worker reported the chain of its context. Only a faster kind of context counts: the fastest
  /// of many that are alike could hardly be reached again.
  void learn(double chain_s) {
    const bool is_faster_kind = chain_s < seconds_ * (1 - kSameContextKind);
    const bool is_out_of_reach =
        is_of_earlier_command_ && chain_s > seconds_ * (1 + kSameContextKind);
    is_of_earlier_command_ = false;
    if (!is_faster_kind && !is_out_of_reach) return;
    seconds_ = chain_s;
    if (keep_) keep_(seconds_);
  }

 private:
  double seconds_ = std::numeric_limits<double>::infinity();
  bool is_of_earlier_command_ = false;
  std::function<void(double)> keep_;
};

}  // namespace plumbline
