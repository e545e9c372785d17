/// What a visit prepares, verifies and measures: a case's launches and their instances.
///
/// A plain case is one instance, launched alone (worker/subjects/plain_case.h). A case with streams
/// has several, launched side by side (worker/subjects/stream_case.h). verifier.h and visit.cpp
/// decide the order of steps and what counts as right.
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

/// The key of a visit's placement for Device::place().
inline std::uint64_t placement_key(const MeasureRequest& request, std::int64_t placement) {
  return stable_hash(std::to_string(request.seed) + '\n' + request.subject.id + '\n' +
                     std::to_string(request.round) + '\n' + std::to_string(placement));
}

/// Called with an instance's results and their name in reasons ("" if there are no others). Throws
/// VisitFailure if they are wrong.
using Judge =
    std::function<void(Instance& instance, const Tensors& results, const std::string& which)>;

class VisitSubject {
 public:
  virtual ~VisitSubject() = default;

  virtual bool has_streams() const = 0;
  virtual std::span<Instance> instances() = 0;

  /// Throws Unsupported if its launches cannot be timed.
  virtual void require_timeable() {}
  /// Makes fresh inputs there, for verification or the first block; earlier launches become
  /// invalid.
  virtual void place(std::int64_t placement) = 0;
  /// Prepares the launches on the current inputs. Throws Unsupported.
  virtual void prepare() = 0;
  /// VisitOutcome::plan of the prepared launches.
  virtual std::string plan() const = 0;
  /// Launches as when timed, and waits for it.
  virtual void launch() = 0;
  /// Results of all instances.
  virtual Tensors results() const = 0;
  /// Judges the results of the last launches. `when`: their time in words; "": now.
  virtual void judge_results(const Judge& judge, const std::string& when) = 0;
  /// For plain cases: judges whether the timed launches did their work. Call after all of them.
  virtual void judge_timed(const Judge&) {}
  /// For plain cases: judges launches on `count` other inputs.
  virtual void judge_others(int, const Judge&) {}
  /// Launches on the current inputs in a way that makes races between streams give wrong results,
  /// and judges these.
  virtual void look_for_races(const Judge& judge) = 0;
  /// Measures what the request's policy asks for.
  virtual VisitSamples sample(const Judge& judge) = 0;
};

}  // namespace plumbline
