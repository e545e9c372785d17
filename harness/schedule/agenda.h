/// What of a plan is left to measure: less the visits that a resumed run has already, less what
/// follows after a case was given up.
///
/// Counts and remembers; knows neither workers nor time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "schedule/plan.h"

namespace plumbline {

class Agenda {
 public:
  /// Rows of `plan.measured` about other cases are ignored. A row belongs to the profile that its
  /// worker's name begins with, up to the last '-'.
  explicit Agenda(const Plan& plan);

  /// Whether the case, by its position in the plan, is still to be visited in that turn.
  bool is_left(std::size_t subject, Turn turn) const;
  /// Whether there is a row already of a case that nobody measures.
  bool is_recorded(std::size_t subject) const { return cases_[subject].is_recorded; }
  /// A visit ended, with the answer's status. UNSUPPORTED ends the case for that profile, another
  /// status without samples altogether: nobody measures what is broken a second time.
  void finish(std::size_t subject, Turn turn, Status status);

  std::int64_t rounds() const { return rounds_; }
  /// Profiles that cases need.
  const std::set<Profile>& profiles() const { return profiles_; }
  /// Profiles of which there are samples in `plan.measured`.
  const std::set<Profile>& proven() const { return proven_; }
  /// Visits, those of the resumed run included.
  std::size_t planned() const { return planned_; }
  std::size_t finished() const { return finished_; }

 private:
  static constexpr std::int64_t kNever = INT64_MAX;
  struct Subject {
    std::int64_t rounds = 0;
    std::vector<Profile> profiles;
    WorkerKind kind;  // of its workers, in any profile
    std::set<Turn> done;
    Turn last{kNever, {Profile::sanitizer}};                 // after it the case is left alone,
    std::array<std::int64_t, kProfileNames.size()> last_of;  // after that round by that profile
    bool is_recorded = false;
    Turn turn(std::int64_t round, Profile profile) const;
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
