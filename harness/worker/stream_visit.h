/// A visit of a case with streams: N instances, each with inputs and results of its own, prepared,
/// verified, looked through for races, measured, verified again; the first visit of a case in a run
/// then has the instances launched on other inputs at the places of the timed ones.
///
/// LibTorch's current stream is the instance's while it is prepared and launched. Every instance
/// has data of its own (another seed), so that what one takes from another is wrong. Races: each
/// declared stream is delayed, its instance's inputs are spoiled before the delay and filled again
/// behind it, its results poisoned behind it, and the results read on the stream that all are
/// joined into; streams of the implementation's own are looked for as race_check.h does.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/stream_setup.h"
#include "device/streams.h"
#include "measure/sampler.h"
#include "protocol/messages.h"
#include "worker/verify/frozen_inputs.h"
#include "worker/verify/judgement.h"
#include "worker/verify/kept_results.h"
#include "worker/verify/race_check.h"
#include "worker/workloads/host_copies.h"
#include "worker/workloads/workload.h"

namespace plumbline {

struct StreamOutcome {
  VisitSamples samples;
  Check check;  // of the worst instance; a mistake: no samples
  double tolerance = kUnknown;
  bool is_widened = false;                    // some results were right only so (judgement.h)
  double flops = kUnknown, bytes = kUnknown;  // of all instances together
  std::string plan;                           // of an instance
  std::string repeats;                        // kRepeats…, "" = it was not tried
  std::vector<FileRef> files;                 // of an instance
};

class StreamVisit {
 public:
  using Key = std::function<std::uint64_t(std::int64_t placement)>;
  using Begin = std::function<void(std::string_view phase)>;

  /// What is handed over must outlive the visit. Throws as make_workload does, and Unsupported
  /// where the device cannot have such streams.
  StreamVisit(RaceSite site, StreamDevice& streams, KeptResults& kept,
              const MeasureRequest& request, Key key, Begin begin, bool is_first_visit);

  StreamOutcome run();

  /// For profilers and checkers (plain_launches.h): fork-joins that are neither held, delayed,
  /// captured nor timed, without a background load; verified before and after.
  StreamOutcome launch_plainly(int launches);

  /// Everything on the device that the visit held goes back.
  void release() noexcept;

 private:
  struct Instance {
    std::int64_t seed = 0;
    std::unique_ptr<Workload> workload;
    std::unique_ptr<Judgement> judgement;
    Prepared own, alone;  // bound to its own stream; to stream 0, where it runs after the others
    Tensors expected;
    std::unique_ptr<FrozenInputs> frozen;  // while it is verified
    std::unique_ptr<HostCopies> own_copies, alone_copies;
  };

  void place(std::int64_t placement);
  void prepare_on(int i, int stream);
  void launch(int i, int stream);
  void launch_checked(int i, int stream);
  void require_holdable();
  static Tensors reference_of(const Instance& instance);
  void expect();
  void launch_all(const StreamLaunch& launch);
  void look_whether_it_repeats();
  void change_inputs();
  bool are_right(const std::string& when);
  bool verify();
  bool verify_again();
  bool verify_other_inputs();
  bool is_right_with(const std::vector<bool>& delayed);
  bool has_no_side_races();
  Check checked(const Instance& instance, const Tensors& results);
  bool is_right(const Instance& instance, const Prepared& prepared, const HostCopies* copies,
                const std::string& which);

  RaceSite site_;
  Device& device_;
  StreamDevice& streams_;
  KeptResults& kept_;
  const MeasureRequest& request_;
  Key key_;
  Begin begin_;
  bool is_first_visit_;
  StreamSetup setup_;
  std::vector<Instance> instances_;
  double enqueue_s_ = 0;  // of the fork-join before: delays outlast it
  StreamOutcome outcome_;
};

}  // namespace plumbline
