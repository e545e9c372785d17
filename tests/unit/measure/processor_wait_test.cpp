#include "measure/processor_wait.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <time.h>

#include <atomic>
#include <fstream>
#include <thread>

namespace plumbline {
namespace {

double ran_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// Keeps the calling thread on the processor where it is.
void stay_on_one_processor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(unsigned(sched_getcpu()), &set);
  ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

/// Works for `work_s` seconds of a processor beside a rival on the same one. Returns what it
/// waited.
double waited_beside_rival_s(double work_s) {
  stay_on_one_processor();
  std::atomic<bool> is_done = false;
  std::thread rival([&] {
    while (!is_done) {
    }
  });
  const double waited_s = processor_wait_s();
  const double ran_before_s = ran_s();
  while (ran_s() - ran_before_s < work_s) {
  }
  is_done = true;
  rival.join();
  return processor_wait_s() - waited_s;
}

TEST(ProcessorWait, IsWhatAnotherThreadOnTheSameProcessorTook) {
  if (std::ifstream file("/proc/thread-self/schedstat"); !file)
    GTEST_SKIP() << "this kernel does not count it";
  constexpr double kWork_s = 0.1;
  double waited_s = 0;
  std::thread([&] { waited_s = waited_beside_rival_s(kWork_s); }).join();
  EXPECT_GT(waited_s, kWork_s / 10);
}

}  // namespace
}  // namespace plumbline
