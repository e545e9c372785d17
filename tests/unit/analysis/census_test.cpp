#include <gtest/gtest.h>

#include <random>
#include <set>

#include "analysis/compare/ledger_effects.h"
#include "analysis/estimate/estimate.h"
#include "unit/analysis/compared.h"

namespace plumbline {
namespace {

using Cell = std::pair<std::string, std::string>;  // case, metric

constexpr const char* kMetrics[] = {"gpu_time_cold", "gpu_time_hot", "kernel_span_cold"};

std::string id_of(int i) { return "op/libtorch/n=" + std::to_string(i); }

/// Cases with all kinds of ends, some with only some metrics, some only in one run.
Run random_run(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Run run = planted::run_on("NVIDIA H200");
  for (int i = 0; i < 60; ++i) {
    if (random() % 8 == 0) continue;
    const auto status = static_cast<Status>(random() % (4 * kStatusNames.size()));
    if (std::size_t(status) < kStatusNames.size() && !has_samples(status)) {
      planted::add_status(run, id_of(i), status, "planted");
      if (random() % 2 == 0)
        run.info.expected.push_back({"quick", id_of(i), Status::wrong, "known", "s.yaml:1"});
      continue;
    }
    const double seconds = 1e-5 * (random() % 4 == 0 ? 1.2 : 1.0);
    const double spread = random() % 6 == 0 ? 0.05 : 0.001;
    for (const char* metric : kMetrics)
      if (metric == kMetrics[0] || random() % 2 == 0)
        planted::add_case(run, id_of(i), seconds, spread, metric);
  }
  return run;
}

std::vector<LedgerEntry> random_ledger(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<LedgerEntry> ledger;
  for (int i = 0; i < 60; i += 4) {
    LedgerEntry& entry = ledger.emplace_back();
    entry.kind = static_cast<EntryKind>(random() % 2);
    entry.case_id = id_of(i);
    entry.author = "Ada";
    entry.reason = "planted";
  }
  return ledger;
}

/// The cells that must have a verdict: every judged metric of a case in either run, or the case
/// itself if it has none. Except cases that both runs left out, or that failed and are now
/// excluded.
std::set<Cell> cells_of(const Run& before, const Run& after) {
  std::map<std::string, std::set<std::string>> metrics;
  std::map<std::string, bool> was_measured, counts;
  const auto is_aside = [](Status s) { return s == Status::unsupported || s == Status::excluded; };
  for (const ResultRow& row : before.rows) {
    was_measured[row.case_id] = was_measured[row.case_id] || has_samples(row.status);
    counts[row.case_id] = counts[row.case_id] || !is_aside(row.status);
    if (is_judged(row.metric)) metrics[row.case_id].insert(row.metric);
  }
  std::map<std::string, bool> is_excluded;
  for (const ResultRow& row : after.rows) {
    is_excluded[row.case_id] = row.status == Status::excluded;
    counts[row.case_id] = counts[row.case_id] || !is_aside(row.status);
    if (is_judged(row.metric)) metrics[row.case_id].insert(row.metric);
  }
  std::set<Cell> cells;
  for (auto& [id, names] : metrics) {
    if (!counts[id] || (is_excluded[id] && !was_measured[id])) continue;
    if (names.size() > 1) names.erase("");
    for (const std::string& name : names) cells.insert({id, name});
  }
  return cells;
}

TEST(Census, EveryCaseAndMetricOfBothRunsHasOneVerdictAndEveryCaseCountsOnce) {
  std::set<Verdict> seen;
  std::size_t excused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto before = random_run(2 * seed), after = random_run(2 * seed + 1);
    Comparison found = compare(before, after, default_rule("cuda"));
    apply_ledger(found, random_ledger(seed), {"nvidia-h200", "2026-03-31"});
    std::set<Cell> cells;
    std::set<std::string> cases;
    for (const Finding& finding : found.findings) {
      EXPECT_TRUE(cells.insert({finding.case_id, finding.metric}).second)
          << finding.case_id << " " << finding.metric << " has two verdicts";
      cases.insert(finding.case_id);
      seen.insert(finding.verdict);
    }
    EXPECT_EQ(cells, cells_of(before, after)) << "seed " << seed;
    const Census census = census_of(found);
    EXPECT_EQ(census.cases(), cases.size());
    EXPECT_EQ(worst_per_case(found).size(), cases.size());
    excused += census.of(EntryKind::acknowledged) + census.of(EntryKind::quarantined);
    const auto stops = [&](const Finding& f) {
      return f.entry == 0 && (f.verdict == Verdict::slower || f.verdict == Verdict::broken);
    };
    EXPECT_EQ(exit_code(found) == 1, std::ranges::any_of(found.findings, stops));
  }
  constexpr std::size_t kNotHeld = 2;  // LOOKS_SLOWER, LOOKS_FASTER: of hold_screen()
  EXPECT_EQ(seen.size(), kVerdictNames.size() - kNotHeld) << "not all were among these runs";
  EXPECT_GT(excused, 0u);
}

}  // namespace
}  // namespace plumbline
