#include "schedule/agenda.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace plumbline {

Turn Agenda::Subject::turn(std::int64_t round, Profile profile) const {
  Turn turn{round, kind};
  turn.kind.profile = profile;
  return turn;
}

std::size_t Agenda::Subject::place_of(Turn turn) const {
  return std::size_t(turn.round) * kProfileNames.size() + std::size_t(turn.kind.profile);
}

bool Agenda::Subject::is_done(Turn turn) const {
  return turn.round < rounds && done[place_of(turn)];
}

void Agenda::Subject::set_done(Turn turn) {
  if (turn.round >= rounds || done[place_of(turn)]) return;
  done[place_of(turn)] = true;
  ++finished;
}

bool Agenda::Subject::is_planned(Turn turn) const {
  return turn <= last && turn.round <= last_of[static_cast<std::size_t>(turn.kind.profile)];
}

std::size_t Agenda::Subject::planned() const {
  std::size_t count = 0;
  for (std::int64_t round = 0; round < rounds; ++round)
    for (const Profile profile : profiles) count += is_planned(turn(round, profile));
  return count;
}

void Agenda::Subject::give_up(Turn turn, Status status) {
  std::int64_t& last_round = last_of[static_cast<std::size_t>(turn.kind.profile)];
  if (status == Status::unsupported)
    last_round = std::min(last_round, turn.round);
  else
    last = std::min(last, turn);
}

Agenda::Agenda(const Plan& plan) : cases_(plan.cases.size()) {
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    Subject& subject = cases_[i];
    subject.last_of.fill(kNever);
    const Case& c = plan.cases[i];
    if (!is_runnable(c)) continue;
    subject.rounds = c.policy->rounds;
    subject.done.resize(std::size_t(subject.rounds) * kProfileNames.size());
    subject.profiles = profiles_of(c, plan.device_kind);
    subject.kind = kind_of(c, Profile::timing);
    rounds_ = std::max(rounds_, subject.rounds);
    profiles_.insert(subject.profiles.begin(), subject.profiles.end());
  }
  take_measured(plan);
  for (const Subject& subject : cases_) {
    planned_ += subject.planned();
    finished_ += subject.finished;
  }
}

void Agenda::take_measured(const Plan& plan) {
  std::map<std::pair<std::string_view, std::string_view>, Subject*> known;
  for (std::size_t i = 0; i < cases_.size(); ++i)
    known[{plan.cases[i].suite, plan.cases[i].id}] = &cases_[i];
  for (std::size_t i = 0; i < plan.measured.size(); ++i) {
    const EarlierVisit visit = plan.measured[i];
    const auto found = known.find({visit.suite, visit.case_id});
    if (found == known.end()) continue;
    Subject& subject = *found->second;
    if (visit.worker.empty()) subject.is_recorded = true;
    const auto profile = profile_named(visit.worker.substr(0, visit.worker.rfind('-')));
    if (!profile) continue;
    const Turn turn = subject.turn(visit.round, *profile);
    subject.set_done(turn);
    if (!visit.worker.ends_with(kNoProcess)) proven_.insert(*profile);
    // With a metric's name, only this metric is absent from the visit.
    if (!has_samples(visit.status) && !visit.has_metric) subject.give_up(turn, visit.status);
  }
}

bool Agenda::is_left(std::size_t subject, Turn turn) const {
  return cases_[subject].is_planned(turn) && !cases_[subject].is_done(turn);
}

void Agenda::finish(std::size_t subject, Turn turn, Status status) {
  Subject& finished = cases_[subject];
  finished.set_done(turn);
  ++finished_;
  if (has_samples(status)) return;
  planned_ -= finished.planned();
  finished.give_up(turn, status);
  planned_ += finished.planned();
}

}  // namespace plumbline
