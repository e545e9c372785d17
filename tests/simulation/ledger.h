/// What a simulated run has measured and kept, over all its lives, and what its file must hold.
///
/// Checks every visit when it is asked for, when it is kept, and on the disk. A mistake is a
/// Violation.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/run/result.h"
#include "simulation/scenario.h"

namespace plumbline::simulation {

class Ledger {
 public:
  Ledger(const Scenario& scenario, SideNumber side) : scenario_(scenario), side_(side) {}

  /// A worker with that name on that device is asked for the visit.
  void ask(const VisitKey& visit, const std::string& worker, const std::string& device);
  /// The writer has returned: these rows are in the file.
  void keep(std::span<const ResultRow> rows);

  /// In pairs: whether this side has visited the case in that pair as often as it must. A further
  /// visit is one of a control.
  bool is_through(const VisitKey& visit) const;
  /// In pairs: whether this side has visited it once.
  bool has_first(VisitKey visit) const;

  /// A life ends that has left this run; null if it has no run.json. At most `in_flight` visits may
  /// be lost. `died`: the last visits may be in the file although nobody was told.
  void end_life(const Run* left, std::size_t in_flight, bool died);

  /// The visits of workers that are kept; without those that no process made.
  std::size_t visits() const { return kept_.size(); }
  /// Number of visits in the file, with cases that are not measured.
  std::size_t in_file() const { return in_file_; }
  const std::string& text() const { return text_; }
  /// Names of workers in rows.
  const std::set<std::string>& workers() const { return workers_; }
  /// The finished run: each planned visit once, with the planned status. `subjects`: its cases.
  void check_complete(const std::vector<std::size_t>& subjects) const;

 private:
  struct Asked {
    std::string worker, device;
  };
  void check_rows(const VisitKey& visit, std::span<const ResultRow> rows) const;
  void check_unmeasured(std::span<const ResultRow> rows);
  VisitKey key_of(std::span<const ResultRow> rows) const;

  const Scenario& scenario_;
  SideNumber side_;
  std::map<VisitKey, Asked> asked_;   // in this life, and not kept
  std::map<VisitKey, Status> kept_;   // visits of workers, and of refused profiles
  std::set<std::size_t> unmeasured_;  // cases with a row of their own
  std::set<std::string> workers_;
  std::string text_;  // rows of the file
  std::size_t in_file_ = 0;
};

/// The rows as the file has them.
std::string text_of(std::span<const ResultRow> rows);

/// "op1/libtorch/n=4, round 1, trace".
std::string words(const Scenario& scenario, const VisitKey& visit);

}  // namespace plumbline::simulation
