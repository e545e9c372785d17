#include "device/cuda/streams.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace plumbline::cuda {
namespace {

TEST(Connections, AreThoseOfTheProcessOrCudasDefault) {
  unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
  EXPECT_EQ(connections_of_process(), kDefaultConnections);
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
  EXPECT_EQ(connections_of_process(), 32);
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "many", 1);
  EXPECT_EQ(connections_of_process(), kDefaultConnections);
  unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
}

}  // namespace
}  // namespace plumbline::cuda
