/// What the workers of one device learned about contexts: the shortest chain of kernels in any of
/// them (context_chain_s, device/cuda/context_draw.h). A worker that reaches it stops searching.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

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

  /// A worker reported the chain of its context.
  void learn(double chain_s) {
    const double before_s = seconds_;
    seconds_ = is_of_earlier_command_ ? chain_s : std::min(seconds_, chain_s);
    is_of_earlier_command_ = false;
    if (keep_ && seconds_ != before_s) keep_(seconds_);
  }

 private:
  double seconds_ = std::numeric_limits<double>::infinity();
  bool is_of_earlier_command_ = false;
  std::function<void(double)> keep_;
};

}  // namespace plumbline
