#include "core/op/stream_setup.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

Params defaults() {
  Params params;
  for (const ParamSpec& spec : stream_params()) params[spec.name] = *spec.fallback;
  return params;
}

Params with(std::initializer_list<std::pair<const std::string, Value>> values) {
  Params params = defaults();
  for (const auto& [name, value] : values) params.insert_or_assign(name, value);
  return params;
}

TEST(StreamSetup, DefaultsAndMissingParametersAreAPlainLaunch) {
  EXPECT_EQ(stream_axis_of(defaults()), "");
  EXPECT_EQ(stream_axis_of({}), "");
  EXPECT_EQ(stream_setup({}).connections, kDefaultConnections);
  EXPECT_EQ(stream_setup(defaults()).count, 1);
}

TEST(StreamSetup, ReadsEveryParameter) {
  const StreamSetup setup = stream_setup(with({{"stream.count", std::int64_t{4}},
                                               {"stream.priority", "-2"},
                                               {"stream.graph", true},
                                               {"stream.background", 0.5},
                                               {"stream.overlap", "copy_pageable"},
                                               {"stream.connections", std::int64_t{2}},
                                               {"stream.dependencies", "diamond"}}));
  EXPECT_EQ(setup.count, 4);
  EXPECT_EQ(setup.priority, "-2");
  EXPECT_TRUE(setup.is_graph);
  EXPECT_FALSE(setup.is_blocking);
  EXPECT_EQ(setup.background, 0.5);
  EXPECT_EQ(setup.overlap, Overlap::copy_pageable);
  EXPECT_EQ(setup.connections, 2);
  EXPECT_EQ(setup.dependencies, Dependencies::diamond);
}

TEST(StreamSetup, NamesTheFirstParameterThatIsNotAtItsDefault) {
  EXPECT_EQ(stream_axis_of(with({{"stream.count", std::int64_t{2}}})), "stream.count=2");
}

TEST(StreamSetup, WhatNoDeviceCanMeasureIsSaid) {
  EXPECT_EQ(unmeasurable_stream(with({{"stream.count", std::int64_t{8}}})), "");
  const std::int64_t four = 4;
  EXPECT_EQ(unmeasurable_stream(with({{"stream.dependencies", "diamond"}, {"stream.count", four}})),
            "");
  EXPECT_NE(unmeasurable_stream(
                with({{"stream.dependencies", "diamond"}, {"stream.count", std::int64_t{3}}})),
            "");
  EXPECT_NE(unmeasurable_stream(with({{"stream.dependencies", "chain"}})), "");
  EXPECT_NE(unmeasurable_stream(with({{"stream.blocking", true}, {"stream.priority", "high"}})),
            "");
  EXPECT_NE(unmeasurable_stream(with({{"stream.blocking", true}, {"stream.graph", true}})), "");
  EXPECT_NE(unmeasurable_stream(with({{"stream.graph", true}, {"stream.overlap", "copy_pinned"}})),
            "");
}

TEST(StreamSetup, InstancesWaitForThoseBeforeThem) {
  const auto before = [](Dependencies dependencies, int i) {
    return instances_before({.count = 4, .dependencies = dependencies}, i);
  };
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(before(Dependencies::independent, i).empty());
  EXPECT_EQ(before(Dependencies::chain, 3), std::vector<int>{2});
  EXPECT_TRUE(before(Dependencies::diamond, 0).empty());
  EXPECT_EQ(before(Dependencies::diamond, 1), std::vector<int>{0});
  EXPECT_EQ(before(Dependencies::diamond, 2), std::vector<int>{0});
  EXPECT_EQ(before(Dependencies::diamond, 3), (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace plumbline
