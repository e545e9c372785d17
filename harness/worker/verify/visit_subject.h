/// What a visit prepares, verifies and measures: the launches of a case, and the instances that
/// they compute.
///
/// A plain case is one instance, launched by itself (worker/subjects/plain_case.h); a case with
/// streams is several, launched side by side (worker/subjects/stream_case.h). In which order a
/// visit does what, and what counts as right, is verifier.h's and visit.cpp's.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "measure/sampler.h"
#include "protocol/messages.h"
#include "worker/verify/instance.h"

namespace plumbline {

/// Placements of verification; sampling counts its placements from 0.
inline constexpr std::int64_t kVerificationBlock = -1, kFirstBlock = 0;

/// What Device::place() is told of a visit's placement.
inline std::uint64_t placement_key(const MeasureRequest& request, std::int64_t placement) {
  return stable_hash(std::to_string(request.seed) + '\n' + request.subject.id + '\n' +
                     std::to_string(request.round) + '\n' + std::to_string(placement));
}

/// Told of an instance's results, and how a reason calls them ("" where there are no others).
/// Throws VisitFailure where they are wrong.
using Judge =
    std::function<void(Instance& instance, const Tensors& results, const std::string& which)>;

class VisitSubject {
 public:
  virtual ~VisitSubject() = default;

  virtual bool has_streams() const = 0;
  virtual std::span<Instance> instances() = 0;

  /// Throws Unsupported where its launches cannot be timed.
  virtual void require_timeable() {}
  /// Fresh inputs there, for verification or for the first block; launches from before are gone.
  virtual void place(std::int64_t placement) = 0;
  /// Readies the launches on the inputs at hand. Throws Unsupported.
  virtual void prepare() = 0;
  /// VisitOutcome::plan of the launches that are ready.
  virtual std::string plan() const = 0;
  /// Launches as it is timed, and waits for it.
  virtual void launch() = 0;
  /// Of all instances.
  virtual Tensors results() const = 0;
  /// Has the results of the last launches judged. `when`: when those were, in words; "" = now.
  virtual void judge_results(const Judge& judge, const std::string& when) = 0;
  /// When all timed launches are over: whether they did their work. Of plain cases.
  virtual void judge_timed(const Judge&) {}
  /// Has launches on so many other inputs judged. Of plain cases.
  virtual void judge_others(int, const Judge&) {}
  /// Launches on the inputs at hand such that streams that do not wait for each other give wrong
  /// results, and has those judged.
  virtual void look_for_races(const Judge& judge) = 0;
  /// Measures what the request's policy asks for.
  virtual VisitSamples sample(const Judge& judge) = 0;
};

}  // namespace plumbline
