#include "core/system_failure.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace plumbline {
namespace {

TEST(SystemFailure, SaysWhichFileCannotBeReachedAndWhy) {
  const auto code = std::make_error_code(std::errc::permission_denied);
  const std::filesystem::filesystem_error error("status", "/runs/x", code);
  EXPECT_EQ(system_failure(error), "/runs/x: cannot be reached: Permission denied");
}

TEST(SystemFailure, KnowsMemoryAndThreads) {
  EXPECT_EQ(system_failure(std::bad_alloc()), "there is not enough memory");
  const auto code = std::make_error_code(std::errc::resource_unavailable_try_again);
  EXPECT_EQ(system_failure(std::system_error(code)),
            "the system refuses: Resource temporarily unavailable");
}

TEST(SystemFailure, OtherExceptionsAreNone) {
  EXPECT_EQ(system_failure(std::out_of_range("vector")), std::nullopt);
}

}  // namespace
}  // namespace plumbline
