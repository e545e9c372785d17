#include "analysis/compare/ledger_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_map>

#include "analysis/compare/judge.h"

namespace plumbline {
namespace {

/// An entry that may concern the comparison, and what it matched.
struct OpenEntry {
  const LedgerEntry* entry = nullptr;
  bool is_over = false;
  bool has_case = false, has_finding = false;  // a finding of its case; of its metric too
  std::size_t number = 0;                      // in Comparison::ledger, from 1; 0: not listed yet
};

std::string name_of_case(const LedgerEntry& entry) {
  std::string name = entry.case_id;
  if (!entry.metric.empty()) name += " " + entry.metric;
  if (!entry.suite.empty()) name += " of suite " + entry.suite;
  return name;
}

/// True if the entry is about changes in this direction, of any size.
bool has_direction(const LedgerEntry& entry, const Finding& finding) {
  if (entry.kind == EntryKind::quarantined) return true;
  if (!is_of_time(finding.verdict)) return false;
  return !entry.change || !finding.change || (*entry.change > 0) == (*finding.change > 0);
}

bool is_large_enough(const LedgerEntry& entry, const Finding& finding) {
  if (entry.kind == EntryKind::quarantined || !entry.change) return true;
  return finding.change && std::abs(*finding.change) <= std::abs(*entry.change);
}

void add_reason(Finding& finding, const std::string& text) {
  finding.reason += (finding.reason.empty() ? "" : "; ") + text;
}

/// The entries that concern one comparison, by case.
class LedgerEffects {
 public:
  LedgerEffects(Comparison& comparison, const std::vector<LedgerEntry>& ledger,
                const LedgerScope& scope)
      : comparison_(comparison) {
    std::set<std::string_view> suites;
    for (const Finding& finding : comparison.findings) suites.insert(finding.suite);
    for (const LedgerEntry& entry : ledger)
      if ((entry.device.empty() || entry.device == scope.device) &&
          (entry.suite.empty() || suites.contains(entry.suite)))
        entries_.push_back({&entry, is_over(entry, scope.today)});
    // Quarantines come first because they excuse everything.
    std::ranges::stable_sort(entries_, std::ranges::greater(),
                             [](const OpenEntry& open) { return open.entry->kind; });
    for (OpenEntry& open : entries_) by_case_[open.entry->case_id].push_back(&open);
  }

  bool empty() const { return entries_.empty(); }

  void look_up(Finding& finding) {
    std::string too_small;
    for (const std::string& id : {finding.case_id, finding.renamed_from}) {
      const auto found = by_case_.find(id);
      if (found == by_case_.end()) continue;
      for (OpenEntry* open : found->second)
        if (is_about(*open, finding) && excuse(*open, finding, too_small)) return;
    }
    if (!too_small.empty()) add_reason(finding, too_small);
  }

  void note_the_rest() {
    for (const OpenEntry& open : entries_) {
      const LedgerEntry& entry = *open.entry;
      if (!open.has_case)
        comparison_.notes.push_back(
            fmt::format("The ledger's entry of {} is about no case of either run: {}",
                        name_of_case(entry), entry_text(entry)));
      else if (!open.has_finding)
        comparison_.notes.push_back(
            fmt::format("The ledger's entry of {} is about a metric that neither run has: {}",
                        name_of_case(entry), entry_text(entry)));
      else if (open.is_over)
        comparison_.notes.push_back(fmt::format("The ledger's entry of {} is over: {}",
                                                name_of_case(entry), entry_text(entry)));
    }
  }

 private:
  static bool is_about(OpenEntry& open, const Finding& finding) {
    const LedgerEntry& entry = *open.entry;
    if (!entry.suite.empty() && entry.suite != finding.suite) return false;
    open.has_case = true;
    // A case that failed as a whole has no metric: the failure covers all of its metrics.
    if (!entry.metric.empty() && !finding.metric.empty() && entry.metric != finding.metric)
      return false;
    open.has_finding = true;
    return has_direction(entry, finding);
  }

  /// Returns false and sets `too_small` if the change exceeds the entry's limit.
  bool excuse(OpenEntry& open, Finding& finding, std::string& too_small) {
    const std::string text = entry_text(*open.entry);
    if (open.is_over) {
      add_reason(finding, "no longer " + text);
      return false;
    }
    if (!is_large_enough(*open.entry, finding)) {
      too_small = "more than was " + text;
      return false;
    }
    if (open.number == 0) {
      comparison_.ledger.push_back(*open.entry);
      open.number = comparison_.ledger.size();
    }
    finding.entry = open.number;
    add_reason(finding, text);
    return true;
  }

  Comparison& comparison_;
  std::vector<OpenEntry> entries_;
  std::unordered_map<std::string_view, std::vector<OpenEntry*>> by_case_;
};

}  // namespace

bool is_over(const LedgerEntry& entry, std::string_view today) {
  return !entry.until.empty() && entry.until < today;
}

std::string entry_text(const LedgerEntry& entry) {
  std::string text(name_of(entry.kind));
  if (entry.change) text += " up to " + percent_text(*entry.change);
  text += " by " + entry.author;
  if (!entry.until.empty()) text += " until " + entry.until;
  return text + ": " + entry.reason;
}

void apply_ledger(Comparison& comparison, const std::vector<LedgerEntry>& ledger,
                  const LedgerScope& scope) {
  if (ledger.empty()) return;
  LedgerEffects effects(comparison, ledger, scope);
  if (effects.empty()) return;
  for (Finding& finding : comparison.findings) effects.look_up(finding);
  effects.note_the_rest();
  if (!comparison.ledger.empty()) sort_findings(comparison.findings);
}

std::vector<LedgerEntry> take_spent(std::vector<LedgerEntry>& ledger,
                                    const ReplacedBaseline& replaced) {
  const auto& measured = replaced.measured;
  const auto is_about = [&](const std::string& named, const std::string& own) {
    return named == own || (named.empty() && replaced.is_only_one);
  };
  const auto is_spent = [&](const LedgerEntry& entry) {
    if (entry.kind != EntryKind::acknowledged) return false;
    if (!is_about(entry.device, replaced.device) || !is_about(entry.suite, replaced.suite))
      return false;
    if (!entry.metric.empty()) return measured.contains({entry.case_id, entry.metric});
    const auto first = measured.lower_bound({entry.case_id, ""});
    return first != measured.end() && first->first == entry.case_id;
  };
  const auto rest = std::ranges::stable_partition(
      ledger, [&](const LedgerEntry& entry) { return !is_spent(entry); });
  std::vector<LedgerEntry> spent(std::make_move_iterator(rest.begin()),
                                 std::make_move_iterator(rest.end()));
  ledger.erase(rest.begin(), rest.end());
  return spent;
}

}  // namespace plumbline
