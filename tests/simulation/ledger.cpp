#include "simulation/ledger.h"

#include "schedule/plan.h"
#include "schedule/rows.h"
#include "simulation/kernel.h"
#include "store/csv/columns.h"
#include "store/file.h"

namespace plumbline::simulation {
namespace {

Profile profile_of(const std::string& worker) {
  const auto profile = profile_named(worker.substr(0, worker.rfind('-')));
  if (!profile) violate("found worker '" + worker + "', which names no profile");
  return *profile;
}

/// The rows of a folder's results.csv, visit by visit.
std::vector<std::span<const ResultRow>> visits_in(const std::vector<ResultRow>& rows) {
  std::vector<std::span<const ResultRow>> visits;
  for (std::size_t i = 0; i < rows.size();) {
    const auto parts = std::size_t(rows[i].parts);
    if (i + parts > rows.size()) break;
    visits.emplace_back(rows.data() + i, parts);
    i += parts;
  }
  return visits;
}

}  // namespace

std::string words(const Scenario& scenario, const VisitKey& visit) {
  return scenario.cases[visit.subject].id + ", round " + std::to_string(visit.round) + ", " +
         std::string(name_of(visit.profile)) + (visit.nth > 0 ? ", second visit" : "");
}

std::string text_of(std::span<const ResultRow> rows) {
  std::string text;
  for (const ResultRow& row : rows) append_row(row, text);
  return text;
}

void Ledger::ask(const VisitKey& visit, const std::string& worker, const std::string& device) {
  if (kept_.contains(visit)) violate("measured again: " + words(scenario_, visit));
  if (!asked_.try_emplace(visit, Asked{worker, device}).second)
    violate("measured twice in one life: " + words(scenario_, visit));
}

bool Ledger::has_first(VisitKey visit) const {
  visit.nth = 0;
  return kept_.contains(visit);
}

bool Ledger::is_through(const VisitKey& visit) const {
  int visits = 0;
  for (VisitKey key = visit; key.nth < 2; ++key.nth)
    if (const auto found = kept_.find(key); found != kept_.end())
      visits += has_samples(found->second) ? 1 : 2;
  return visits >= 2;
}

VisitKey Ledger::key_of(std::span<const ResultRow> rows) const {
  const ResultRow& row = rows.front();
  VisitKey visit{scenario_.position_of(row.case_id), row.round, profile_of(row.worker), 0};
  // The first visit of two is kept before the second is asked for.
  if (kept_.contains(visit) && !asked_.contains(visit)) visit.nth = 1;
  return visit;
}

void Ledger::check_rows(const VisitKey& visit, std::span<const ResultRow> rows) const {
  const Case& c = scenario_.cases[visit.subject];
  MeasureAnswer answer = scenario_.answer(visit, side_);
  make_consistent(answer);
  std::vector<ResultRow> planned = rows_of(c, answer);
  stamp(planned, rows.front().device, rows.front().worker, visit.round, rows.front().order);
  if (text_of(planned) != text_of(rows))
    violate("wrong data of " + words(scenario_, visit) + ": found\n" + text_of(rows) + "planned\n" +
                text_of(planned),
            Harm::wrong_verdict);
}

void Ledger::check_unmeasured(std::span<const ResultRow> rows) {
  const ResultRow& row = rows.front();
  const std::size_t subject = scenario_.position_of(row.case_id);
  const bool is_excluded = !scenario_.cases[subject].excluded.empty();
  if (is_runnable(scenario_.cases[subject]))
    violate("not measured, though it can be: " + row.case_id);
  if (row.status != (is_excluded ? Status::excluded : Status::unsupported))
    violate(row.case_id + " is recorded as " + std::string(name_of(row.status)));
  if (!unmeasured_.insert(subject).second) violate("recorded twice: " + row.case_id);
}

void Ledger::keep(std::span<const ResultRow> rows) {
  text_ += text_of(rows);
  ++in_file_;
  const ResultRow& row = rows.front();
  if (row.worker.empty()) return check_unmeasured(rows);
  const VisitKey visit = key_of(rows);
  const bool is_refused = scenario_.lacks_trace && visit.profile == Profile::trace;
  if (is_refused) {
    if (row.status != Status::unsupported || row.worker != "trace-0")
      violate("a profile without workers gave results: " + words(scenario_, visit));
  } else {
    const auto asked = asked_.find(visit);
    if (asked == asked_.end()) violate("kept, but not measured: " + words(scenario_, visit));
    if (row.worker != asked->second.worker || row.device != asked->second.device)
      violate("rows of worker " + asked->second.worker + " on " + asked->second.device +
              " are attributed to " + row.worker + " on " + row.device + ": " +
              words(scenario_, visit));
    check_rows(visit, rows);
    asked_.erase(asked);
    workers_.insert(row.worker);
  }
  if (!kept_.try_emplace(visit, row.status).second)
    violate("recorded twice: " + words(scenario_, visit));
}

void Ledger::end_life(const Run* left, std::size_t in_flight, bool died) {
  if (left == nullptr) {
    if (in_file_ > 0) violate("lost: a run with visits has no run.json", Harm::lost_visit);
    asked_.clear();
    return;
  }
  const std::string header = header_line();
  const std::string found = read_text(left->path + "/results.csv");
  if (!found.starts_with(header + text_))
    violate("lost or changed: results.csv no longer holds the " + std::to_string(in_file_) +
                " visits that were kept",
            Harm::lost_visit);
  if (!died && found.size() != header.size() + text_.size())
    violate("results.csv ends in bytes that nobody kept");
  if (!died && !left->warnings.empty())
    violate("a warning about a whole file: " + left->warnings[0]);
  const auto visits = visits_in(left->rows);
  if (visits.size() > in_file_ + in_flight) violate("more visits in the file than were in flight");
  for (std::size_t i = in_file_; i < visits.size(); ++i) keep(visits[i]);
  if (asked_.size() > in_flight) {
    std::string lost;
    for (const auto& [visit, from] : asked_) lost += "\n  " + words(scenario_, visit);
    violate("lost, though at most " + std::to_string(in_flight) + " were in flight:" + lost,
            Harm::lost_visit);
  }
  asked_.clear();
}

void Ledger::check_complete(const std::vector<std::size_t>& subjects) const {
  const std::map<VisitKey, Status> expected = scenario_.expected(subjects, side_);
  for (const auto& [visit, status] : expected) {
    const auto found = kept_.find(visit);
    if (found == kept_.end())
      violate("never measured: " + words(scenario_, visit), Harm::lost_visit);
    if (found->second != status)
      violate(words(scenario_, visit) + " is " + std::string(name_of(found->second)) +
              ", planted was " + std::string(name_of(status)));
  }
  for (const auto& [visit, status] : kept_)
    if (!expected.contains(visit)) violate("measured, but not planned: " + words(scenario_, visit));
  std::size_t unmeasured = 0;
  for (const std::size_t subject : subjects) unmeasured += !is_runnable(scenario_.cases[subject]);
  if (unmeasured_.size() != unmeasured) violate("a case that is not measured has no row");
}

}  // namespace plumbline::simulation
