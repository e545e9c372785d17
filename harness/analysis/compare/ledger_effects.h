/// Applies a ledger to a comparison: which findings it excuses, and notes on entries that have
/// expired, are too small, or match nothing.
///
/// Pure: does not know the file (store/verdict/ledger_json.h) or the clock. Verdicts do not change
/// here.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/ledger.h"

namespace plumbline {

/// Which baselines a comparison is about, and when it is made.
struct LedgerScope {
  std::string device;  // folder of the device's baselines
  std::string today;   // date, 2026-03-31
};

/// Excuses the findings that entries match: sets `Finding::entry` and adds to the reason. Entries
/// that had no effect become notes on the comparison. Entries of other devices, and of suites
/// without a case in either run, are ignored. A quarantine takes precedence over an
/// acknowledgement.
void apply_ledger(Comparison& comparison, const std::vector<LedgerEntry>& ledger,
                  const LedgerScope& scope);

/// True if the last day of the entry has passed. Days are in UTC.
bool is_over(const LedgerEntry& entry, std::string_view today);

/// "acknowledged up to +8 % by Ada until 2026-03-31: the new kernel checks its bounds".
std::string entry_text(const LedgerEntry& entry);

/// A baseline that a run has replaced.
struct ReplacedBaseline {
  std::string device, suite;
  std::set<std::pair<std::string, std::string>> measured;  // cases × metrics
  bool is_only_one = false;  // no other device or suite has a baseline
};

/// Removes acknowledgements whose change is now part of the baseline, and returns them. An entry
/// for any device or suite stays as long as other baselines exist.
std::vector<LedgerEntry> take_spent(std::vector<LedgerEntry>& ledger,
                                    const ReplacedBaseline& replaced);

}  // namespace plumbline
