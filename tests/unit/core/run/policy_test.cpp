#include "core/run/policy.h"

#include <gtest/gtest.h>

#include <set>

namespace plumbline {
namespace {

TEST(PolicyTable, HasOneRowPerOptionAndTheDefaultsAreValid) {
  std::set<std::string_view> names;
  for (const PolicyField& field : policy_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_FALSE(field.doc.empty()) << field.name;
    EXPECT_EQ(policy_field(field.name), &field);
  }
  EXPECT_EQ(policy_mistake(Policy{}), "");
}

TEST(PolicyMistake, NamesTheOptionTheValueAndTheRange) {
  Policy policy;
  policy.rounds = 0;
  EXPECT_EQ(policy_mistake(policy), "rounds is 0; allowed: 1 to 1000");
  policy = {};
  policy.cache = {"cold", "warm"};
  EXPECT_EQ(policy_mistake(policy), "cache: 'warm' is not known; allowed: cold, cold_write, hot");
  policy = {};
  policy.cache.clear();
  EXPECT_EQ(policy_mistake(policy), "cache is an empty list; it needs at least one value");
  policy = {};
  policy.blocks_min = 40;
  EXPECT_EQ(policy_mistake(policy), "blocks_min (40) is above blocks_max (24)");
}

}  // namespace
}  // namespace plumbline
