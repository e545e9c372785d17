// A case over its runs: on cards and in the case view.
#include "reports/past.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "reports/sections/findings/cards.h"
#include "unit/reports/synthetic.h"

namespace plumbline {
namespace {

/// Twenty nights of one case before the candidate: 10 µs, from the twelfth on 11 µs, each off by up
/// to 0.1 %. The candidate takes `candidate_s`.
struct Nights {
  plumbline::Run candidate;
  History history;
  CaseView view;

  explicit Nights(double candidate_s, std::size_t nights = 20) {
    candidate.path = "runs/last";
    candidate.info.started_at = "2026-06-30T02:00:00Z";
    candidate.info.environment.device_class = "NVIDIA H200";
    view.suite = "s";
    view.id = "gelu/libtorch/elements=8";
    view.metric = "gpu_time_cold";
    std::vector<RunSummary> runs;
    for (std::size_t i = 0; i < nights; ++i)
      runs.push_back(
          night("runs/" + std::to_string(i),
                "2026-06-" + std::string(i < 9 ? "0" : "") + std::to_string(i + 1) + "T02:00:00Z",
                (i < 12 ? 10e-6 : 11e-6) * (1 + 1e-3 * (double(i % 3) - 1))));
    runs.push_back(night(candidate.path, candidate.info.started_at, candidate_s));
    history = make_history(std::move(runs));
  }

  RunSummary night(const std::string& path, const std::string& started_at, double seconds) const {
    CaseSummary row;
    row.suite = view.suite;
    row.case_id = view.id;
    row.metric = view.metric;
    row.unit = "s";
    row.revision = "1";
    row.estimate = seconds;
    row.low = 0.99 * seconds;
    row.high = 1.01 * seconds;
    PastRun run;
    run.path = path;
    run.started_at = started_at;
    run.commit = "c0ffee1234567";
    run.device_class = "NVIDIA H200";
    run.measurement_revision = kMeasurementRevision;
    return {run, {row}};
  }
  std::optional<Past> past() const { return Pasts(&history, candidate).of(view); }
};

std::string picture_of(const std::optional<Past>& past, std::string_view tone) {
  return rendered("parts/figure", past_strip(past, tone));
}

TEST(Past, TellsTheLevelSinceItsLastChangeAndHowFarTheRunIsFromIt) {
  const Nights nights(11.55e-6);
  const auto past = nights.past();
  ASSERT_TRUE(past);
  EXPECT_EQ(past_text(*past),
            "21 runs since 2026-06-01; the level since 2026-06-13 is 11.0\u00A0µs, this run "
            "+5.0\u00A0%");
  ASSERT_EQ(past->levels.size(), 2u);
  EXPECT_NEAR(past->levels[0].level, 10e-6, 1e-9);
  EXPECT_EQ(past->levels[1].from, 12u);
  EXPECT_EQ(past->levels[1].to, 20u);  // the candidate is not part of the level that it is compared
                                       // with
}

TEST(Past, WithoutAChangeTheLevelIsOfAllRunsBefore) {
  const Nights nights(10e-6, 10);
  const auto past = nights.past();
  ASSERT_TRUE(past);
  EXPECT_TRUE(past_text(*past).starts_with(
      "11 runs since 2026-06-01; their level is 10.0\u00A0µs, this run "))
      << past_text(*past);
}

TEST(Past, IsNoneWithoutEarlierRunsOrOfAnotherCase) {
  EXPECT_FALSE(Nights(10e-6, 0).past());
  Nights other(10e-6);
  other.view.id = "gelu/libtorch/elements=9";
  EXPECT_FALSE(other.past());
  const Nights nights(10e-6);
  EXPECT_FALSE(Pasts(nullptr, nights.candidate).of(nights.view));
  plumbline::Run later = nights.candidate;
  later.path = "runs/another";
  later.info.environment.device_class = "NVIDIA H100";
  EXPECT_FALSE(Pasts(&nights.history, later).of(nights.view));
  EXPECT_TRUE(past_strip(std::nullopt, "slower").is_null());
  EXPECT_EQ(past_json(std::nullopt), "null");
  EXPECT_EQ(runs_json(nullptr), "[]");
}

TEST(Past, OfACaseThatHasNoValueNowIsOfTheRunsThatHadOne) {
  Nights nights(11e-6);
  nights.candidate.path = "runs/crashed";  // the history has no result of this case for it
  const auto past = nights.past();
  ASSERT_TRUE(past);
  EXPECT_TRUE(past_text(*past).ends_with("since 2026-06-13 is 11.0\u00A0µs, this run has no value"))
      << past_text(*past);
  EXPECT_EQ(past->levels.back().to, 21u);
  EXPECT_EQ(picture_of(past, "broken").find("dots now"), std::string::npos);
  EXPECT_TRUE(past_json(past).ends_with("],0]"));
}

TEST(Past, ThePictureHasADotARunAndALineALevel) {
  const Nights nights(11.55e-6);
  const std::string picture = picture_of(nights.past(), "slower");
  const auto count = [&](std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = picture.find(what, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("h0"), 21u);
  EXPECT_EQ(count("H"), 2u);
  EXPECT_EQ(count("dots now slower"), 1u);
  EXPECT_NE(picture.find("aria-label=\"21 runs since"), std::string::npos);
}

TEST(Past, RunsOfSeveralDevicesAreToldApartInTheTextThePictureAndTheData) {
  constexpr const char* kFirst = "GPU-0a1b2c3d-0000-0000-0000-000000000000";
  constexpr const char* kSecond = "GPU-4e5f6071-0000-0000-0000-000000000000";
  Nights nights(11.55e-6);
  for (std::size_t i = 0; i < 21; ++i)
    nights.history.runs[i].device_uuid = i % 2 == 0 ? kFirst : kSecond;
  EXPECT_TRUE(past_text(*nights.past()).starts_with("21 runs on 2 devices since 2026-06-01; "));
  EXPECT_TRUE(past_text(*nights.past()).ends_with("this run +5.0\u00A0%"));
  const std::string picture = picture_of(nights.past(), "slower");
  const auto dots_of = [&](const std::string& classes) {
    const std::string start = "class=\"dots " + classes + "\" d=\"";
    const std::size_t from = picture.find(start) + start.size();
    const std::string_view path =
        std::string_view(picture).substr(from, picture.find('"', from) - from);
    return std::ranges::count(path, 'M');
  };
  EXPECT_EQ(dots_of("series-0 mark-0"), 10) << picture;
  EXPECT_EQ(dots_of("series-1 mark-1"), 10) << picture;
  EXPECT_EQ(dots_of("now slower mark-0"), 1) << picture;  // its tone, in its device's shape
  EXPECT_NE(picture.find("<code>GPU-0a1b2c3d<"), std::string::npos) << picture;
  EXPECT_NE(picture.find("<code>GPU-4e5f6071<"), std::string::npos) << picture;
  EXPECT_NE(runs_json(&nights.history).find("\"c0ffee1234\",\"GPU-4e5f6071\"]"), std::string::npos);
  for (std::size_t i = 0; i < 20; ++i) nights.history.runs[i].device_uuid = kSecond;
  EXPECT_TRUE(past_text(*nights.past()).ends_with(", on a device that none of them ran on"))
      << past_text(*nights.past());
}

TEST(Past, OfOneDeviceItsRunsNeedNoKey) {
  const std::string picture = picture_of(Nights(11.55e-6).past(), "slower");
  EXPECT_EQ(picture.find("device-key"), std::string::npos) << picture;
  EXPECT_EQ(picture.find("mark-"), std::string::npos) << picture;
  EXPECT_NE(picture.find("one step each whatever the time between them"), std::string::npos);
}

TEST(Past, AShortDeviceIsTheStartOfAGpusUuidAndTheWholeOfAnyOtherName) {
  EXPECT_EQ(short_device("GPU-0a1b2c3d-0000-0000-0000-000000000000"), "GPU-0a1b2c3d");
  EXPECT_EQ(short_device("GPU-0a1b2c3d-00,GPU-4e5f6071-00"), "GPU-0a1b2c3d,GPU-4e5f6071");
  EXPECT_EQ(short_device("cpu-0a1b2c3d4e5f6071"), "cpu-0a1b2c3d4e5f6071");
  EXPECT_EQ(short_device(""), "");
}

TEST(Past, AHostileUnitStaysTextInThePicture) {
  Nights nights(11.55e-6);
  for (auto& series : nights.history.series) series.unit = "\"><b>";
  const std::string picture = picture_of(nights.past(), "slower");
  EXPECT_EQ(picture.find("<b>"), std::string::npos) << picture;
  EXPECT_NE(picture.find("&lt;b&gt;"), std::string::npos) << picture;
}

TEST(Past, TheDataHoldRunsValuesAndLevels) {
  const Nights nights(11.55e-6, 1);
  EXPECT_EQ(past_json(nights.past()),
            "[\"2 runs since 2026-06-01; their level is 9.99\u00A0µs, this run +15.6\u00A0%\","
            "[[0,9.99e-06,9.8901e-06,1.00899e-05],[1,1.155e-05,1.14345e-05,1.16655e-05]],"
            "[[0,1,9.99e-06]],1]");
  EXPECT_EQ(runs_json(&nights.history),
            "[[\"2026-06-01T02:00:00Z\",\"c0ffee1234\",\"\"],"
            "[\"2026-06-30T02:00:00Z\",\"c0ffee1234\",\"\"]]");
}

}  // namespace
}  // namespace plumbline
