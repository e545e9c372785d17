#include "schedule/process/interrupt.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace plumbline {
namespace {

bool is_readable(int descriptor, int timeout_ms) {
  pollfd watched{descriptor, POLLIN, 0};
  return poll(&watched, 1, timeout_ms) == 1;
}

TEST(Interrupt, ItsDescriptorStaysReadableAfterOneHasSeenTheSignal) {
  Interrupt interrupt;
  EXPECT_FALSE(is_readable(interrupt.descriptor(), 0));
  EXPECT_FALSE(interrupt.requested());
  kill(getpid(), SIGINT);
  EXPECT_TRUE(is_readable(interrupt.descriptor(), 60'000));
  EXPECT_TRUE(interrupt.requested());
  EXPECT_TRUE(is_readable(interrupt.descriptor(), 0));
  EXPECT_EQ(interrupt.signal_number(), SIGINT);
}

TEST(Interrupt, AllThreadsThatWaitSeeOneSignal) {
  Interrupt interrupt;
  std::atomic<int> waiting = 0, seen = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        ++waiting;
        while (!interrupt.requested())
          if (!is_readable(interrupt.descriptor(), 60'000)) return;
        ++seen;
      });
    while (waiting < 4) std::this_thread::yield();
    kill(getpid(), SIGTERM);
  }
  EXPECT_EQ(seen, 4);
}

TEST(Interrupt, AThreadThatAsksAfterTheSignalSeesItAlsoWhileAnotherReadsIt) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::seconds(2);
  int missed = 0;
  for (int trial = 0; trial < 3000 && Clock::now() < until; ++trial) {
    Interrupt interrupt;
    std::atomic<int> asking = 0;
    std::atomic<bool> sent = false;
    const auto ask = [&] {
      ++asking;
      for (bool seen = false; !seen;) {
        const bool was_sent = sent;
        seen = interrupt.requested();
        if (was_sent && !seen) return 1;
      }
      return 0;
    };
    int missed_there = 0;
    std::jthread other([&] { missed_there = ask(); });
    std::jthread sender([&] {
      while (asking < 2) std::this_thread::yield();
      kill(getpid(), SIGINT);
      sent = true;
    });
    missed += ask();
    other.join();
    missed += missed_there;
  }
  EXPECT_EQ(missed, 0);
}

TEST(Interrupt, AThreadThatHasSeenItCanBeEndedByASecondOne) {
  Interrupt interrupt;
  sigset_t held;
  kill(getpid(), SIGINT);
  std::jthread([&] { EXPECT_TRUE(interrupt.requested()); }).join();
  pthread_sigmask(SIG_BLOCK, nullptr, &held);
  EXPECT_TRUE(sigismember(&held, SIGINT)) << "this thread has not asked yet";
  EXPECT_TRUE(interrupt.requested());
  pthread_sigmask(SIG_BLOCK, nullptr, &held);
  EXPECT_FALSE(sigismember(&held, SIGINT));
}

}  // namespace
}  // namespace plumbline
