#include "analysis/compare/expected.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumbline {
namespace {

/// What happened to the cases that one entry of a suite is about.
struct EntryOutcome {
  const ExpectedFailure* entry = nullptr;
  std::vector<std::string_view> good;  // cases that are OK
  std::size_t others = 0;
};

std::string sentence_of(const EntryOutcome& outcome) {
  const ExpectedFailure& entry = *outcome.entry;
  const std::string who =
      outcome.good.size() == 1
          ? std::string(outcome.good.front()) + " is"
          : fmt::format("{} and {} more are", outcome.good.front(), outcome.good.size() - 1);
  const std::string what =
      fmt::format("{} ({}: {})", entry.at, name_of(entry.status), entry.reason);
  if (outcome.others == 0) return fmt::format("{} OK; the expectation in {} can go", who, what);
  return fmt::format("{} OK, {} {} not; the expectation in {} is too wide", who, outcome.others,
                     outcome.others == 1 ? "other is" : "others are", what);
}

}  // namespace

Expectations::Expectations(std::span<const ExpectedFailure> expected) : expected_(expected) {
  for (const ExpectedFailure& entry : expected)
    by_case_[{entry.suite, entry.case_id}].push_back(&entry);
}

const ExpectedFailure* Expectations::met(std::string_view suite, std::string_view case_id,
                                         Status status) const {
  if (by_case_.empty() || has_samples(status)) return nullptr;
  const auto found = by_case_.find({suite, case_id});
  if (found == by_case_.end()) return nullptr;
  for (const ExpectedFailure* entry : found->second)
    if (entry->status == status) return entry;
  return nullptr;
}

std::string Expectations::fulfilled_by(const CaseRows& found) const {
  const ExpectedFailure* const known = met(found.suite, found.case_id, found.status);
  if (known == nullptr) return "";
  return fmt::format("{}{}{}, as {} expects: {}", name_of(found.status),
                     found.reason.empty() ? "" : ": ", found.reason, known->at, known->reason);
}

std::vector<std::string> Expectations::outlived(std::span<const CaseRows> cases) const {
  if (by_case_.empty()) return {};
  std::vector<CaseOutcome> outcomes;
  for (const CaseRows& found : cases)
    outcomes.push_back({found.suite, found.case_id, found.status});
  return outlived(outcomes);
}

std::vector<std::string> Expectations::outlived(std::span<const CaseOutcome> outcomes) const {
  if (by_case_.empty()) return {};
  std::map<std::pair<std::string_view, std::string_view>, Status> ends;
  for (const CaseOutcome& outcome : outcomes)
    ends.emplace(std::pair(outcome.suite, outcome.case_id), outcome.status);
  std::vector<EntryOutcome> entries;
  for (const ExpectedFailure& expected : expected_) {
    const auto end = ends.find({expected.suite, expected.case_id});
    if (end == ends.end()) continue;
    auto entry = std::ranges::find_if(entries, [&](const EntryOutcome& known) {
      return known.entry->at == expected.at && known.entry->status == expected.status &&
             known.entry->reason == expected.reason;
    });
    if (entry == entries.end()) entry = entries.insert(entries.end(), {&expected, {}, 0});
    if (has_samples(end->second))
      entry->good.push_back(expected.case_id);
    else
      ++entry->others;
  }
  std::vector<std::string> sentences;
  for (const EntryOutcome& entry : entries)
    if (!entry.good.empty()) sentences.push_back(sentence_of(entry));
  return sentences;
}

}  // namespace plumbline
