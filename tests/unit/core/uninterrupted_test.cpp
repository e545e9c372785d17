#include "core/uninterrupted.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(Uninterrupted, ACallIsMadeAgainAsLongAsASignalInterruptsIt) {
  int calls = 0;
  const auto call = [&] {
    errno = EINTR;
    return ++calls < 3 ? -1 : 7;
  };
  EXPECT_EQ(uninterrupted(call), 7);
  EXPECT_EQ(calls, 3);
}

TEST(Uninterrupted, AnotherErrorIsFinal) {
  int calls = 0;
  const auto call = [&] {
    ++calls;
    errno = EIO;
    return -1;
  };
  EXPECT_EQ(uninterrupted(call), -1);
  EXPECT_EQ(errno, EIO);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace plumbline
