#include "workflow/bundle/fitness.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

Environment h200() {
  Environment environment;
  environment.device_kind = "cuda";
  environment.device_class = "NVIDIA H200";
  environment.device_units = 132;
  environment.libtorch = "2.11.0";
  environment.cudnn = "9.19.0";
  return environment;
}

Finding of(const std::string& backend) {
  Finding finding;
  finding.backend = backend;
  return finding;
}

TEST(Fitness, OfDevicesIsKindClassAndSize) {
  const Environment recorded = h200();
  Environment here = h200();
  here.driver = "other";
  EXPECT_EQ(device_difference(recorded, here), "");
  here.device_class = "NVIDIA H100";
  EXPECT_NE(device_difference(recorded, here).find("NVIDIA H200 there, NVIDIA H100 here"),
            std::string::npos);
  EXPECT_NE(device_difference(recorded, {}), "");
  EXPECT_NE(device_difference({}, here), "");
}

TEST(Fitness, OfLibrariesIsThatOfThoseThatCompute) {
  const Environment recorded = h200();
  Environment here = h200();
  here.libtorch = "2.15.0";
  EXPECT_NE(library_difference(of("libtorch"), OwnCode::none, recorded, here).find("2.15.0 here"),
            std::string::npos);
  EXPECT_NE(library_difference(of("custom"), OwnCode::python, recorded, here), "");
  EXPECT_EQ(library_difference(of("custom"), OwnCode::compiled, recorded, here), "");
  EXPECT_EQ(library_difference(of("cudnn"), OwnCode::none, recorded, here), "");
  here.cudnn = "9.20.0";
  EXPECT_NE(library_difference(of("cudnn"), OwnCode::none, recorded, here), "");
  here.libtorch = "";
  here.cudnn = "9.19.0";
  EXPECT_EQ(library_difference(of("libtorch"), OwnCode::none, recorded, here), "");
}

}  // namespace
}  // namespace plumbline
