#include "schedule/fastest_chain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace plumbline {
namespace {

TEST(FastestChain, TheFastestKindThatAWorkerReportedCounts) {
  FastestChain chain;
  EXPECT_TRUE(std::isinf(chain.seconds()));
  for (const double chain_s : {29e-6, 28e-6, 30e-6}) chain.learn(chain_s);
  EXPECT_EQ(chain.seconds(), 28e-6);
}

TEST(FastestChain, ManyOfOneKindMakeItNoHarderToReach) {
  FastestChain chain;
  for (const double chain_s : {29e-6, 28.9e-6, 28.85e-6, 28.9e-6}) chain.learn(chain_s);
  EXPECT_EQ(chain.seconds(), 29e-6);
}

TEST(FastestChain, WhatAnEarlierCommandFoundStaysWhileItIsReached) {
  std::vector<double> kept;
  FastestChain chain(29e-6, [&](double seconds) { kept.push_back(seconds); });
  for (const double chain_s : {29.1e-6, 30e-6}) chain.learn(chain_s);
  EXPECT_EQ(chain.seconds(), 29e-6);
  EXPECT_EQ(kept, std::vector<double>{});
}

TEST(FastestChain, WhatAnEarlierCommandFoundEndsWithTheFirstReport) {
  std::vector<double> kept;
  FastestChain chain(27e-6, [&](double seconds) { kept.push_back(seconds); });
  EXPECT_EQ(chain.seconds(), 27e-6);
  chain.learn(29e-6);  // the clock is lower today: 27 us are out of reach
  EXPECT_EQ(chain.seconds(), 29e-6);
  chain.learn(30e-6);
  chain.learn(28e-6);
  EXPECT_EQ(chain.seconds(), 28e-6);
  EXPECT_EQ(kept, (std::vector<double>{29e-6, 28e-6}));
}

}  // namespace
}  // namespace plumbline
