#include "core/moment.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

std::string utc_of(std::string_view iso) {
  const auto moment = moment_of(iso);
  return moment ? utc_text(*moment) : "none";
}

TEST(Moment, EveryFormOfIso8601IsTheSameMoment) {
  for (const char* iso :
       {"2026-11-22T02:00:00Z", "2026-11-22T02:00Z", "2026-11-22T02:00:00", "20261122T020000Z",
        "20261122T0200Z", "2026-11-22T03:00:00+01:00", "2026-11-22T03:00:00+01",
        "2026-11-21T20:30:00-0530", "2026-11-22T02:00:00.000Z", "2026-11-22T02:00:00,0Z",
        "2026-11-22 02:00:00", "2026-11-22t02:00:00z"})
    EXPECT_EQ(utc_of(iso), "2026-11-22T02:00:00Z") << iso;
  EXPECT_EQ(utc_of("2026-11-22"), "2026-11-22T00:00:00Z");
  EXPECT_EQ(utc_of("2024-02-29T23:59:59-01:00"), "2024-03-01T00:59:59Z");
  EXPECT_EQ(utc_of("1969-12-31T23:59:58.5Z"), "1969-12-31T23:59:58.5Z");
}

TEST(Moment, WhatIsReadCanBeReadAgain) {
  for (const char* iso :
       {"0000-01-01T00:00:00Z", "9999-12-31T23:59:59.5Z", "2026-11-22 02:00+14:00"})
    EXPECT_EQ(moment_of(utc_of(iso)), moment_of(iso)) << iso;
}

TEST(Moment, FractionsOfASecondAreKeptToTheNanosecond) {
  EXPECT_EQ(utc_of("2026-11-22T02:00:00.123456Z"), "2026-11-22T02:00:00.123456Z");
  EXPECT_EQ(utc_of("2026-11-22T02:00:00.1234567899+00:00"), "2026-11-22T02:00:00.123456789Z");
  EXPECT_EQ(moment_of("1970-01-01T00:00:01.25Z"), (Moment{1, 250'000'000}));
}

TEST(Moment, AreOrderedAsTimesAndNotAsTexts) {
  const std::string_view in_order[] = {"2026-11-22T03:30:00+02:00", "2026-11-22T02:00:00Z",
                                       "2026-11-22T02:00:00.25Z", "2026-11-22T02:00:01Z",
                                       "2026-11-21T22:00:02-04:00"};
  for (std::size_t i = 1; i < std::size(in_order); ++i)
    EXPECT_LT(moment_of(in_order[i - 1]), moment_of(in_order[i])) << in_order[i];
}

TEST(Moment, WhatIsNoTimeIsNone) {
  for (const char* rubbish : {"",
                              "yesterday",
                              "2026",
                              "2026-11",
                              "2026-13-01",
                              "2026-02-29",
                              "2026-11-22T",
                              "2026-11-22T02",
                              "2026-11-22T25:00:00Z",
                              "2026-11-22T02:60:00Z",
                              "2026-11-22T02:00:61Z",
                              "2026-11-22T02:00:00.Z",
                              "2026-11-22T02:00:00Zulu",
                              "2026-11-22T02:00:00+1",
                              "2026-1122",
                              "2026-11-22T0200Z",
                              "2026-11-22  02:00:00",
                              "0000-01-01T00:00:00+23:59",
                              "9999-12-31T23:59:59-23:59",
                              " 2026-11-22",
                              "2026-11-22T02:00:00+01:",
                              "2026-11-22T02:00:00+24:00",
                              "-026-11-22"})
    EXPECT_EQ(utc_of(rubbish), "none") << rubbish;
}

}  // namespace
}  // namespace plumbline
