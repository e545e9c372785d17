/// Controls of pairs: some of their cases, measured by both workers as the baseline's side declares
/// them, into two runs beside those of the sides.
///
/// Keeps and judges controls, and finds those of earlier runs; which are measured when is
/// schedule/pairs.h's, what they say analysis/confirm/controls.h's.
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

/// Whether the workers of both sides are one program with the same extensions and variables. Then
/// a case of side a takes the same time in both. Throws Error for files that cannot be read.
bool run_alike(const Side& a, const Side& b);

/// Cases that may serve as controls, by position, in an order that the seed draws: those that both
/// sides have.
std::vector<std::size_t> control_order(const PairPlan& plan);

class ControlRuns {
 public:
  /// The runs go to a and b in `folder`, which is made with the first visit. `info`: of the
  /// baseline's side.
  ControlRuns(std::string folder, RunInfo info)
      : folder_(std::move(folder)), info_(std::move(info)) {}

  void record_worker(PairSide side, const WorkerRecord& record);
  void append_visit(PairSide side, std::span<const ResultRow> rows);
  void finish(const std::string& finished_at);

  /// Whether anything was measured; only then are there runs.
  bool has_runs() const { return writers_[0] && writers_[1]; }
  const Run& run(PairSide side) const { return writers_[std::size_t(side)]->run(); }
  /// Those of which more pairs say nothing more. `sides`: the trial of the sides.
  std::set<CaseKey> decided(const PairedTrial& sides) const;

 private:
  RunWriter& writer(PairSide side);

  std::string folder_;
  RunInfo info_;
  std::array<std::unique_ptr<RunWriter>, 2> writers_;
  std::array<std::vector<WorkerRecord>, 2> workers_;  // that are not in the runs yet
};

struct PairedRun;

/// Puts the self-check of the pairs into the comparison: alarms among controls, and slowdowns
/// planted in controls and in the cases `planted` of `measured`. A note says why there are no
/// controls.
void check_itself(const PairedRun& measured, const std::set<CaseKey>& planted,
                  Comparison& comparison);

/// Adds what the runs in the folder `runs` ("" = none) measured of themselves, except for the run
/// at `own`. What cannot be read is told.
void add_earlier_controls(Comparison& comparison, const std::string& runs, const std::string& own,
                          Talk& talk);

/// Adds the controls of the runs beside `folder`, and writes those of this one into it.
void keep_controls(Comparison& comparison, const std::string& folder, Talk& talk);

}  // namespace plumbline
