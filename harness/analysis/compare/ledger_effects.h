/// What a ledger does to a comparison: which findings it excuses, and what is to be said of entries
/// that are over, too small, or about nothing.
///
/// Pure: knows neither the file (store/verdict/ledger_json.h) nor the clock. No verdict changes
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

/// Excuses the findings that entries are about, in their reasons and by `Finding::entry`, and notes
/// on the comparison what entries came to nothing. Entries of other devices, and of suites of which
/// neither run holds a case, say nothing. A finding is excused by a quarantine before an
/// acknowledgement.
void apply_ledger(Comparison& comparison, const std::vector<LedgerEntry>& ledger,
                  const LedgerScope& scope);

/// The last day of the entry has passed. Days are of UTC.
bool is_over(const LedgerEntry& entry, std::string_view today);

/// "acknowledged up to +8 % by Ada until 2026-03-31: the new kernel checks its bounds".
std::string entry_text(const LedgerEntry& entry);

/// A baseline that was replaced by a run.
struct ReplacedBaseline {
  std::string device, suite;
  std::set<std::pair<std::string, std::string>> measured;  // cases × metrics
  bool is_only_one = false;  // no other device or suite has a baseline
};

/// Takes out of the ledger the acknowledgements that are spent, and returns them: what they excuse
/// is in the baseline now. One of any device or suite is not spent where there are others.
std::vector<LedgerEntry> take_spent(std::vector<LedgerEntry>& ledger,
                                    const ReplacedBaseline& replaced);

}  // namespace plumbline
