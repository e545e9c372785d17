/// The visits of a plan that are still to be made. Visits that a resumed run already has, and those
/// of a case that was given up, are not among them.
///
/// Counts and remembers; knows neither workers nor time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "schedule/plan.h"

namespace plumbline {

/// Ends the worker's name in rows of visits that no worker could make: process id 0.
inline constexpr std::string_view kNoProcess = "-0";

class Agenda {
 public:
  /// Ignores visits of `plan.measured` to other cases. The profile of a visit is its worker's name
  /// up to the last '-'.
  explicit Agenda(const Plan& plan);

  /// Whether the case (its position in the plan) still has to be visited in that turn.
  bool is_left(std::size_t subject, Turn turn) const;
  /// Whether a case that is not measured already has its row.
  bool is_recorded(std::size_t subject) const { return cases_[subject].is_recorded; }
  /// Records the end of a visit with its status. UNSUPPORTED ends the case for that profile. Any
  /// other status without samples ends it for all profiles: a broken case is not measured again.
  void finish(std::size_t subject, Turn turn, Status status);

  std::int64_t rounds() const { return rounds_; }
  /// Profiles that the cases need.
  const std::set<Profile>& profiles() const { return profiles_; }
  /// Profiles of which a worker has started, as `plan.measured` shows.
  const std::set<Profile>& proven() const { return proven_; }
  /// Number of visits, with those of the resumed run.
  std::size_t planned() const { return planned_; }
  std::size_t finished() const { return finished_; }

 private:
  static constexpr std::int64_t kNever = INT64_MAX;
  struct Subject {
    std::int64_t rounds = 0;
    std::vector<Profile> profiles;
    WorkerKind kind;         // of its workers, in any profile
    std::vector<bool> done;  // visits that are not left, by place_of() their turn
    std::size_t finished = 0;
    Turn last{kNever, {Profile::sanitizer}};                 // the case's last turn
    std::array<std::int64_t, kProfileNames.size()> last_of;  // last round, by profile
    bool is_recorded = false;
    Turn turn(std::int64_t round, Profile profile) const;
    std::size_t place_of(Turn turn) const;
    bool is_done(Turn turn) const;
    void set_done(Turn turn);  // a turn after the last round is ignored
    bool is_planned(Turn turn) const;
    std::size_t planned() const;
    void give_up(Turn turn, Status status);
  };
  void take_measured(const Plan& plan);

  std::vector<Subject> cases_;
  std::int64_t rounds_ = 0;
  std::set<Profile> profiles_, proven_;
  std::size_t planned_ = 0, finished_ = 0;
};

}  // namespace plumbline
