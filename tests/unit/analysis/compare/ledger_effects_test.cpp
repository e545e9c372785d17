#include "analysis/compare/ledger_effects.h"

#include <gtest/gtest.h>

#include "unit/analysis/compared.h"

namespace plumbline {
namespace {

using planted::add_case;
using planted::add_status;

constexpr const char* kCase = "gemm/libtorch/m=1";
const LedgerScope kToday{"nvidia-h200", "2026-03-31"};

LedgerEntry acknowledged(std::optional<double> change = std::nullopt) {
  LedgerEntry entry;
  entry.device = "nvidia-h200";
  entry.suite = "quick";
  entry.case_id = kCase;
  entry.change = change;
  entry.author = "Ada";
  entry.reason = "bounds are checked";
  entry.at = "2026-03-01";
  return entry;
}

LedgerEntry quarantined() {
  LedgerEntry entry = acknowledged();
  entry.kind = EntryKind::quarantined;
  entry.reason = "two modes";
  return entry;
}

/// A case that is slower by `change`, among ten unchanged ones.
class Books : public Compared {
 protected:
  void add(double change, const std::string& id = kCase,
           const std::string& metric = "gpu_time_cold") {
    add_case(before, id, 1e-5, 0.001, metric);
    add_case(after, id, 1e-5 * (1 + change), 0.001, metric);
  }
  Comparison with(const std::vector<LedgerEntry>& ledger, const CompareOptions& options = {}) {
    Comparison found = compared(options);
    apply_ledger(found, ledger, kToday);
    return found;
  }
  static std::string last_note(const Comparison& found) {
    return found.notes.empty() ? "" : found.notes.back();
  }
};

TEST_F(Books, an_acknowledged_change_keeps_its_verdict_and_is_no_alarm) {
  add(0.08);
  EXPECT_EQ(exit_code(with({})), 1);
  const Comparison found = with({acknowledged(0.1)});
  EXPECT_EQ(exit_code(found), 0);
  const Finding& slower = finding(found, kCase);
  EXPECT_EQ(slower.verdict, Verdict::slower);
  EXPECT_EQ(slower.reason, "acknowledged up to +10 % by Ada: bounds are checked");
  ASSERT_EQ(slower.entry, 1u);
  EXPECT_EQ(found.ledger.at(0).author, "Ada");
  EXPECT_EQ(verdict_words(found, slower), "SLOWER, acknowledged");
  EXPECT_EQ(found.count(Verdict::slower), 0u);
  EXPECT_EQ(census_text(census_of(found)), "10 SAME, 1 acknowledged");
}

TEST_F(Books, a_larger_change_than_was_said_is_an_alarm_as_always_and_says_so) {
  add(0.08);
  const Comparison found = with({acknowledged(0.05)});
  EXPECT_EQ(exit_code(found), 1);
  EXPECT_EQ(finding(found, kCase).reason,
            "more than was acknowledged up to +5.0 % by Ada: bounds are checked");
  EXPECT_EQ(finding(found, kCase).entry, 0u);
  EXPECT_EQ(exit_code(with({acknowledged(0.05), acknowledged(0.2)})), 0) << "one reaches so far";
  EXPECT_EQ(exit_code(with({acknowledged()})), 0) << "without a size any change";
}

TEST_F(Books, a_change_to_the_other_side_is_not_acknowledged) {
  add(0.08);
  EXPECT_EQ(exit_code(with({acknowledged(-0.5)})), 1);
  add(-0.2, "gemm/libtorch/m=2");
  LedgerEntry faster = acknowledged(-0.3);
  faster.case_id = "gemm/libtorch/m=2";
  EXPECT_EQ(finding(with({faster}), "gemm/libtorch/m=2").entry, 1u);
}

TEST_F(Books, an_entry_holds_up_to_its_last_day_and_then_no_more) {
  add(0.08);
  LedgerEntry entry = acknowledged();
  entry.until = kToday.today;
  EXPECT_EQ(exit_code(with({entry})), 0);
  entry.until = "2026-03-30";
  const Comparison over = with({entry});
  EXPECT_EQ(exit_code(over), 1);
  EXPECT_EQ(finding(over, kCase).reason,
            "no longer acknowledged by Ada until 2026-03-30: bounds are checked");
  EXPECT_EQ(last_note(over),
            "The ledger's entry of gemm/libtorch/m=1 of suite quick is over: acknowledged by Ada "
            "until 2026-03-30: bounds are checked");
}

TEST_F(Books, only_its_metric_its_suite_and_its_device_are_acknowledged) {
  add(0.08);
  add(0.3, kCase, "gpu_time_hot");
  LedgerEntry cold = acknowledged();
  cold.metric = "gpu_time_cold";
  const Comparison found = with({cold});
  EXPECT_EQ(exit_code(found), 1);
  EXPECT_EQ(worst_per_case(found)[0]->metric, "gpu_time_hot") << "what counts speaks for the case";
  EXPECT_EQ(found.count(Verdict::slower), 1u);
  LedgerEntry hot = cold;
  hot.metric = "gpu_time_hot";
  EXPECT_EQ(exit_code(with({cold, hot})), 0);
  LedgerEntry elsewhere = acknowledged();
  elsewhere.device = "nvidia-h100";
  EXPECT_EQ(exit_code(with({elsewhere})), 1);
  EXPECT_EQ(last_note(with({elsewhere})).find("ledger"), std::string::npos);
  LedgerEntry anywhere = acknowledged();
  anywhere.device = anywhere.suite = "";
  EXPECT_EQ(exit_code(with({anywhere})), 0);
}

TEST_F(Books, a_broken_or_missing_case_is_not_acknowledged_but_can_be_quarantined) {
  add_case(before, kCase, 1e-5);
  add_status(after, kCase, Status::wrong, "off by 1");
  add_case(before, "gemm/libtorch/m=2", 1e-5);
  EXPECT_EQ(exit_code(with({acknowledged()})), 1);
  LedgerEntry missing = quarantined();
  missing.case_id = "gemm/libtorch/m=2";
  const Comparison found = with({quarantined(), missing});
  EXPECT_EQ(exit_code(found), 0);
  EXPECT_EQ(finding(found, kCase).verdict, Verdict::broken);
  EXPECT_EQ(finding(found, "gemm/libtorch/m=2").verdict, Verdict::missing);
  EXPECT_EQ(census_text(census_of(found)), "10 SAME, 2 quarantined");
}

TEST_F(Books, a_quarantined_case_counts_apart_whatever_its_metrics_are) {
  add(0.08);
  add(0, kCase, "gpu_time_hot");
  const Comparison found = with({acknowledged(), quarantined()});
  for (const Finding& f : found.findings) {
    EXPECT_EQ(excuse_of(found, f).has_value(), f.case_id == kCase);
  }
  EXPECT_EQ(finding(found, kCase, "gpu_time_hot").reason, "quarantined by Ada: two modes");
  EXPECT_EQ(worst_per_case(found).size(), 11u);
  EXPECT_EQ(census_text(census_of(found)), "10 SAME, 1 quarantined");
}

TEST_F(Books, nothing_but_quarantined_cases_is_no_success) {
  before.rows.clear();
  after.rows.clear();
  add(0);
  EXPECT_EQ(exit_code(with({})), 0);
  EXPECT_EQ(exit_code(with({quarantined()})), 3);
}

TEST_F(Books, an_entry_about_no_case_or_no_metric_is_told) {
  LedgerEntry lost = acknowledged();
  EXPECT_EQ(last_note(with({lost})),
            "The ledger's entry of gemm/libtorch/m=1 of suite quick is about no case of either "
            "run: acknowledged by Ada: bounds are checked");
  add(0.08);
  lost.metric = "host_time";
  EXPECT_EQ(last_note(with({lost})),
            "The ledger's entry of gemm/libtorch/m=1 host_time of suite quick is about a metric "
            "that neither run has: acknowledged by Ada: bounds are checked");
  lost.suite = "nightly";
  EXPECT_EQ(last_note(with({lost})).find("ledger"), std::string::npos)
      << "nothing of that suite was compared";
}

TEST_F(Books, an_entry_of_the_old_id_holds_for_a_renamed_case) {
  add_case(before, kCase, 1e-5);
  add_case(after, "product/libtorch/m=1", 1.08e-5);
  CompareOptions options;
  options.renames[{"quick", kCase}] = "product/libtorch/m=1";
  EXPECT_EQ(exit_code(with({acknowledged()}, options)), 0);
}

TEST(TakeSpent, TakesTheAcknowledgedChangesThatAreInTheBaselineNow) {
  LedgerEntry of_metric = acknowledged(), other_case = acknowledged(),
              other_device = acknowledged(), other_suite = acknowledged(),
              other_metric = acknowledged();
  of_metric.metric = "gpu_time_cold";
  other_metric.metric = "gpu_time_hot";
  other_case.case_id = "gemm/libtorch/m=10";
  other_device.device = "nvidia-h100";
  other_suite.suite = "nightly";
  std::vector<LedgerEntry> ledger{other_case,    acknowledged(), other_device, of_metric,
                                  quarantined(), other_suite,    other_metric};
  const auto spent = take_spent(
      ledger, {"nvidia-h200", "quick", {{kCase, "gpu_time_cold"}, {"x", "gpu_time_hot"}}, true});
  ASSERT_EQ(spent.size(), 2u);
  EXPECT_EQ(spent[0].metric, "");
  EXPECT_EQ(spent[1].metric, "gpu_time_cold");
  ASSERT_EQ(ledger.size(), 5u);
  EXPECT_EQ(ledger[0].case_id, "gemm/libtorch/m=10");
  EXPECT_EQ(ledger[2].kind, EntryKind::quarantined);
}

TEST(TakeSpent, LeavesWhatIsForAnyDeviceWhereAnotherHasABaselineToo) {
  LedgerEntry of_any = acknowledged(), of_this = acknowledged();
  of_any.device = of_any.suite = "";
  of_this.device = "nvidia-h200";
  of_this.suite = "quick";
  for (const bool is_only_one : {false, true}) {
    std::vector<LedgerEntry> ledger{of_any, of_this};
    take_spent(ledger, {"nvidia-h200", "quick", {{kCase, "gpu_time_cold"}}, is_only_one});
    EXPECT_EQ(ledger.size(), is_only_one ? 0u : 1u);
  }
}

}  // namespace
}  // namespace plumbline
