/// A case without streams as a visit's subject: one instance, launched alone on the device's own
/// stream. Each cold launch has new contents.
#pragma once

#include "worker/session/session.h"
#include "worker/verify/timed_launches.h"
#include "worker/verify/visit_subject.h"

namespace plumbline {

class PlainCase final : public VisitSubject {
 public:
  /// `session` and `request` must outlive it. Throws as make_workload does.
  PlainCase(Session& session, const MeasureRequest& request);

  bool has_streams() const override { return false; }
  std::span<Instance> instances() override { return {&instance_, 1}; }
  void place(std::int64_t placement) override;
  void prepare() override { prepared_ = instance_.workload().prepare(); }
  std::string plan() const override { return prepared_.plan; }
  void launch() override;
  Tensors results() const override { return prepared_.results ? prepared_.results() : Tensors{}; }
  void judge_results(const Judge& judge, const std::string& when) override;
  void judge_timed(const Judge& judge) override { timed_launches_.judge_all(judge); }
  void judge_others(int count, const Judge& judge) override {
    timed_launches_.judge_others(count, judge);
  }
  void look_for_races(const Judge& judge) override;
  VisitSamples sample(const Judge& judge) override;

 private:
  void place_at(std::int64_t placement, std::uint64_t contents);
  void make_inputs(std::uint64_t contents);
  void renew(std::uint64_t contents);
  void remake(std::uint64_t contents);
  Launch timed_launch();

  Session& session_;
  Device& device_;
  const MeasureRequest& request_;
  Instance instance_;
  Prepared prepared_;
  std::int64_t placement_ = kVerificationBlock;
  TimedLaunches timed_launches_;
};

}  // namespace plumbline
