#include "analysis/replay/replay.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace plumbline {
namespace {

constexpr double kMargin = 0.02;

Finding found(Verdict verdict, double low, double high, const std::string& id = "one") {
  Finding finding;
  finding.suite = "s";
  finding.case_id = id;
  finding.metric = "gpu_time_cold";
  finding.verdict = verdict;
  finding.change = (low + high) / 2;
  finding.change_low = low;
  finding.change_high = high;
  return finding;
}

ReplayAnswer answer(const Finding& claim, const Finding& measured) {
  return answer_of(claim, &measured, kMargin).answer;
}

const Finding kTwice = found(Verdict::slower, 0.95, 1.05);

TEST(Replay, ConfirmsTheSameChange) {
  EXPECT_EQ(answer(kTwice, found(Verdict::slower, 0.97, 1.02)), ReplayAnswer::confirmed);
  EXPECT_EQ(answer(found(Verdict::faster, -0.55, -0.45), found(Verdict::faster, -0.52, -0.48)),
            ReplayAnswer::confirmed);
}

TEST(Replay, TakesHalfToTwiceTheChangeForTheSame) {
  // Of the logarithm: 1.414 and 4 times for a factor of two.
  EXPECT_EQ(answer(kTwice, found(Verdict::slower, 0.40, 0.43)), ReplayAnswer::confirmed);
  EXPECT_EQ(answer(kTwice, found(Verdict::slower, 0.30, 0.35)), ReplayAnswer::refuted);
  EXPECT_EQ(answer(kTwice, found(Verdict::slower, 3.0, 3.1)), ReplayAnswer::confirmed);
  EXPECT_EQ(answer(kTwice, found(Verdict::slower, 3.4, 3.6)), ReplayAnswer::refuted);
}

TEST(Replay, RefutesWhatTheIntervalExcludes) {
  EXPECT_EQ(answer(kTwice, found(Verdict::same, -0.01, 0.01)), ReplayAnswer::refuted);
  EXPECT_EQ(answer(kTwice, found(Verdict::faster, -0.52, -0.48)), ReplayAnswer::refuted);
  EXPECT_EQ(answer(found(Verdict::faster, -0.55, -0.45), found(Verdict::slower, 0.95, 1.05)),
            ReplayAnswer::refuted);
  const Finding same = found(Verdict::same, -0.01, 0.01);
  EXPECT_EQ(answer(same, found(Verdict::slower, 0.05, 0.07)), ReplayAnswer::refuted);
  const ClaimAnswer turned = answer_of(kTwice, &same, kMargin);
  EXPECT_NE(turned.reason.find("less than half"), std::string::npos);
}

TEST(Replay, CannotTellFromAWideInterval) {
  EXPECT_EQ(answer(kTwice, found(Verdict::unresolved, -0.5, 2)), ReplayAnswer::cannot_tell);
  EXPECT_EQ(answer(found(Verdict::same, -0.01, 0.01), found(Verdict::unresolved, -0.1, 0.1)),
            ReplayAnswer::cannot_tell);
  EXPECT_EQ(answer(found(Verdict::slower, 0.008, 0.012), found(Verdict::same, -0.001, 0.006)),
            ReplayAnswer::cannot_tell);
}

TEST(Replay, ConfirmsThatNothingChanged) {
  const Finding same = found(Verdict::same, -0.01, 0.01);
  EXPECT_EQ(answer(same, found(Verdict::same, -0.003, 0.004)), ReplayAnswer::confirmed);
}

TEST(Replay, ComparesNothingWithoutAnInterval) {
  Finding failed = found(Verdict::missing, 0, 0);
  failed.change = failed.change_low = failed.change_high = std::nullopt;
  failed.reason = "UNSUPPORTED: no such type";
  const ClaimAnswer none = answer_of(kTwice, &failed, kMargin);
  EXPECT_EQ(none.answer, ReplayAnswer::not_comparable);
  EXPECT_EQ(none.reason, failed.reason);
  EXPECT_EQ(answer_of(kTwice, nullptr, kMargin).answer, ReplayAnswer::not_comparable);
}

TEST(Replay, TakesAsClaimsWhatLooksChanged) {
  Comparison comparison;
  comparison.findings = {
      found(Verdict::slower, 0.1, 0.2, "a"), found(Verdict::same, -0.01, 0.01, "b"),
      found(Verdict::looks_faster, -0.2, -0.1, "c"), found(Verdict::unresolved, -0.2, 0.1, "d")};
  EXPECT_EQ(claims_of(comparison, {}).size(), 2u);
  EXPECT_EQ(claims_of(comparison, {"b"}).size(), 1u);
  EXPECT_THROW(claims_of(comparison, {"d"}), Error);
  EXPECT_THROW(claims_of(comparison, {"a", "none"}), Error);
  comparison.findings.erase(comparison.findings.begin());
  comparison.findings.erase(comparison.findings.begin() + 1);
  EXPECT_THROW(claims_of(comparison, {}), Error);
}

TEST(Replay, AnswersForAllClaims) {
  const auto whole = [](std::initializer_list<ReplayAnswer> answers) {
    std::vector<ClaimAnswer> all;
    for (const ReplayAnswer one : answers) all.push_back({kTwice, {}, one, ""});
    return answer_of(all);
  };
  using enum ReplayAnswer;
  EXPECT_EQ(whole({confirmed, confirmed}), confirmed);
  EXPECT_EQ(whole({confirmed, refuted, not_comparable}), refuted);
  EXPECT_EQ(whole({confirmed, not_comparable}), cannot_tell);
  EXPECT_EQ(whole({not_comparable, not_comparable}), not_comparable);
}

}  // namespace
}  // namespace plumbline
