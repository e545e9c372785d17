#include "analysis/timers.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(Timers, are_names_and_seconds_in_the_order_of_the_text) {
  const auto readings = timers_of("events=1.25e-05;cupti_span=1e-05");
  ASSERT_TRUE(readings);
  ASSERT_EQ(readings->size(), 2u);
  EXPECT_EQ((*readings)[0].name, "events");
  EXPECT_EQ((*readings)[0].seconds, 1.25e-5);
  EXPECT_EQ((*readings)[1].name, "cupti_span");
  EXPECT_EQ((*readings)[1].seconds, 1e-5);
  EXPECT_TRUE(timers_of("")->empty());
}

TEST(Timers, anything_else_is_no_list_of_them) {
  for (const char* text : {"events", "=1", "events=", "events=1s", "events=1;;x=2", "a=1,b=2"})
    EXPECT_FALSE(timers_of(text)) << text;
}

}  // namespace
}  // namespace plumbline
