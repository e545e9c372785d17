#include "device/normal_quantiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "device/cpu/cpu_device.h"

namespace plumbline {
namespace {

TEST(NormalQuantiles, AreSymmetricAndThoseOfTables) {
  const auto& quantiles = normal_quantiles();
  EXPECT_NEAR(quantiles[512], 0, 1e-6);
  EXPECT_NEAR(quantiles[768], 0.674490, 1e-6);   // for 3/4
  EXPECT_NEAR(quantiles[1023], 3.097269, 1e-6);  // for 1023/1024
  for (std::size_t i = 0; i < quantiles.size(); ++i)
    EXPECT_NEAR(quantiles[i], -quantiles[quantiles.size() - 1 - i], 1e-6);
}

std::vector<float> filled(const Distribution& distribution, std::int64_t elements,
                          std::uint64_t seed = 5) {
  std::vector<float> values(std::size_t(elements), -7.f);
  CpuDevice device;
  device.fill({values.data(), DType::float32, elements}, seed, distribution);
  return values;
}

TEST(Fill, NormalNumbersHaveTheMomentsOfTheirDistribution) {
  const std::vector<float> values = filled({Distribution::Kind::normal, 1, 2}, 1 << 20);
  double sum = 0, squares = 0, cubes = 0, fourths = 0;
  for (const float value : values) {
    const double z = (value - 1) / 2.0;
    sum += z;
    squares += z * z;
    cubes += z * z * z;
    fourths += z * z * z * z;
  }
  const double count = double(values.size());
  EXPECT_NEAR(sum / count, 0, 0.005);
  EXPECT_NEAR(squares / count, 1, 0.005);
  EXPECT_NEAR(cubes / count, 0, 0.02);
  EXPECT_NEAR(fourths / count, 3, 0.05);
}

TEST(Fill, UniformNumbersAreWithinTheirBoundsAndNearlyAllDiffer) {
  const std::vector<float> values = filled({Distribution::Kind::uniform, -1, 1}, 10001);
  std::set<float> different;
  for (const float value : values) {
    EXPECT_GE(value, -1);
    EXPECT_LT(value, 1);
    different.insert(value);
  }
  EXPECT_GT(different.size(), 9980u);
}

TEST(Fill, ElementsDependOnSeedAndIndexAlone) {
  const Distribution normal{Distribution::Kind::normal, 0, 1};
  const std::vector<float> many = filled(normal, 1001);
  const std::vector<float> few = filled(normal, 7);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_NE(many, filled(normal, 1001, 6));
}

}  // namespace
}  // namespace plumbline
