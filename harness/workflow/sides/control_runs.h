/// Controls of pairs: some of their cases, which both workers measure as the baseline's side
/// declares them. Results go into two runs beside those of the sides.
///
/// Stores and judges controls, and finds those of earlier runs. schedule/pairs.h decides which are
/// measured when; analysis/confirm/controls.h evaluates them.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/confirm/paired_comparison.h"
#include "schedule/pairs.h"
#include "store/run/run_writer.h"
#include "workflow/sides/side.h"
#include "workflow/talk.h"

namespace plumbline {

/// True if the workers of both sides are one program with the same extensions and variables. A case
/// of side a then takes the same time in both. Throws Error for files that cannot be read.
bool run_alike(const Side& a, const Side& b);

/// Indexes of cases that may serve as controls: both sides have them. The seed sets the order.
std::vector<std::size_t> control_order(const PairPlan& plan);

class ControlRuns {
 public:
  /// The runs go to a and b in `folder`, made by the first visit. `info`: of the baseline's side.
  ControlRuns(std::string folder, RunInfo info)
      : folder_(std::move(folder)), info_(std::move(info)) {}

  void record_worker(PairSide side, const WorkerRecord& record);
  void append_visit(PairSide side, std::span<const ResultRow> rows);
  void finish(const std::string& finished_at);

  /// True if anything was measured; only then there are runs.
  bool has_runs() const { return writers_[0] && writers_[1]; }
  const Run& run(PairSide side) const { return writers_[std::size_t(side)]->run(); }
  /// Controls that more pairs would not change. `sides`: the trial of the sides.
  std::set<CaseKey> decided(const PairedTrial& sides) const;

 private:
  RunWriter& writer(PairSide side);

  std::string folder_;
  RunInfo info_;
  std::array<std::unique_ptr<RunWriter>, 2> writers_;
  std::array<std::vector<WorkerRecord>, 2> workers_;  // not yet in the runs
};

struct PairedRun;

/// Adds the self-check of the pairs to the comparison: alarms among controls, and slowdowns planted
/// in controls and in the cases `planted` of `measured`. A note says why there are no controls.
void check_itself(const PairedRun& measured, const std::set<CaseKey>& planted,
                  Comparison& comparison);

/// Adds the self-checks of the runs in the folder `runs` ("" = none), without the run at `own`.
/// Notes name those that cannot be read.
void add_earlier_controls(Comparison& comparison, const std::string& runs, const std::string& own,
                          Talk& talk);

/// Adds the self-checks of the runs beside `folder`, and writes that of this run into it.
void keep_controls(Comparison& comparison, const std::string& folder, Talk& talk);

}  // namespace plumbline
