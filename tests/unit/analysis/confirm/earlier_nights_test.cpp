#include "analysis/confirm/earlier_nights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/compare/compare.h"
#include "support/synthetic_run.h"
#include "unit/analysis/past_nights.h"

namespace plumbline {
namespace {

constexpr int kCases = 60;

/// Nights of three visits; on `bad_night` the first `slowed` cases take 10 % longer.
History history_with(int count, int bad_night, int slowed) {
  SyntheticNoise noise(5);
  auto summaries = nights(count, kCases, [&](int, int) { return 1e-4; });
  for (int night = 0; night < count; ++night)
    for (int i = 0; i < kCases; ++i) {
      const double level = night == bad_night && i < slowed ? 1.1e-4 : 1e-4;
      const double of_night = 0.001 * noise.normal();
      CaseSummary& row = summaries[std::size_t(night)].rows[std::size_t(i)];
      for (int visit = 0; visit < 3; ++visit)
        row.visit_means.push_back(level * std::exp(of_night + 0.001 * noise.normal()));
      row.estimate = level * std::exp(of_night);
    }
  summaries[std::size_t(count - 2)].run.is_baseline = true;
  summaries.back().run.is_candidate = true;
  return make_history(std::move(summaries));
}

SelfCheck checked(const History& history) {
  SelfCheck check;
  add_alarms_of_nights(history, default_rule("cuda"), check);
  return check;
}

TEST(EarlierNights, quiet_ones_raise_no_alarm) {
  const SelfCheck check = checked(history_with(12, -1, 0));
  EXPECT_EQ(check.nights, 5u);
  EXPECT_EQ(check.of_nights.cases, 5u * kCases);
  EXPECT_EQ(check.of_nights.seen, 0u);
}

TEST(EarlierNights, what_was_slower_on_one_of_them_is_counted) {
  EXPECT_EQ(checked(history_with(12, 8, 7)).of_nights.seen, 7u);
  EXPECT_EQ(checked(history_with(12, 3, 7)).of_nights.seen, 0u) << "too long ago";
  EXPECT_EQ(checked(history_with(12, 11, 7)).of_nights.seen, 0u) << "the candidate's is no earlier";
}

TEST(EarlierNights, too_few_tell_nothing) {
  EXPECT_EQ(checked(history_with(4, -1, 0)).nights, 0u);
  EXPECT_EQ(checked(history_with(5, -1, 0)).nights, 1u);
  EXPECT_EQ(checked(History{}).nights, 0u);
}

}  // namespace
}  // namespace plumbline
