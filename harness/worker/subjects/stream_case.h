/// A case with streams as a visit's subject: N instances, each with its own inputs and results,
/// launched side by side.
///
/// LibTorch's current stream is the instance's own while it is prepared and launched. Every
/// instance has different data (another seed), so that data of another instance is wrong. Race
/// check: each declared stream is delayed. Its instance's inputs are spoiled before the delay and
/// filled again after it, and its results are poisoned after it. The results are read on the stream
/// that joins all. Streams of the implementation itself are checked as race_check.h does.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/op/stream_setup.h"
#include "device/streams.h"
#include "worker/session/session.h"
#include "worker/verify/frozen_inputs.h"
#include "worker/verify/visit_subject.h"
#include "worker/workloads/host_copies.h"

namespace plumbline {

class StreamCase final : public VisitSubject {
 public:
  /// `session` and `request` must outlive it. Throws as make_workload does, and Unsupported if the
  /// device or its profile has no such streams.
  StreamCase(Session& session, const MeasureRequest& request);
  ~StreamCase() override;

  bool has_streams() const override { return true; }
  std::span<Instance> instances() override { return instances_; }
  void require_timeable() override;
  void place(std::int64_t placement) override;
  void prepare() override;
  std::string plan() const override { return lanes_.front().own.plan; }
  void launch() override;
  Tensors results() const override;
  void judge_results(const Judge& judge, const std::string& when) override;
  void look_for_races(const Judge& judge) override;
  VisitSamples sample(const Judge& judge) override;

 private:
  /// What an instance needs for its launches.
  struct Lane {
    Prepared own, alone;                   // for its own stream; for stream 0, after the others
    bool has_run_alone = false;            // since it was prepared
    std::unique_ptr<FrozenInputs> frozen;  // while races are looked for
    std::unique_ptr<HostCopies> own_copies, alone_copies;
  };

  void prepare_on(int i, int stream);
  void launch_on(int i, int stream);
  void launch_checked(int i, int stream);
  void fork_and_join();
  void judge_lane(std::size_t i, const Prepared& prepared, const HostCopies* copies,
                  const Judge& judge, const std::string& when);
  void judge_alone(const Judge& judge, const std::string& when);
  void launch_delayed(const std::vector<bool>& delayed, const Judge& judge);

  RaceSite site_;
  Device& device_;
  StreamDevice& streams_;
  const MeasureRequest& request_;
  int plain_launches_;  // 0: measure
  StreamSetup setup_;
  std::vector<bool> none_delayed_;
  std::vector<Instance> instances_;
  std::vector<Lane> lanes_;  // by instance
  double enqueue_s_ = 0;     // of the previous fork-join: delays must be longer
};

}  // namespace plumbline
