/// Threads of a simulated process take turns, so that one seed decides their order.
///
/// Only one of them works at a time. Where it calls a worker, another one may go on.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "simulation/kernel.h"

namespace plumbline::simulation {

class Turns {
 public:
  explicit Turns(Dice dice) : dice_(dice) {}

  /// Runs the functions in threads of their own, one at a time (RunAll of schedule/devices.h).
  void run_all(std::span<const std::function<void()>> functions) {
    Kernel* const of = kernel();
    alive_.assign(functions.size(), true);
    turn_ = std::size_t(dice_.below(functions.size()));
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < functions.size(); ++i)
        threads.emplace_back([&, i] {
          const InProcess inside(of);
          own_ = i;
          wait();
          functions[i]();
          end();
        });
    }
    alive_.clear();
  }

  /// Another thread may go on before this one. Without other threads, nothing happens.
  void pass() {
    if (alive_.size() < 2) return;
    hand_on();
    wait();
  }

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == own_; });
  }

  void hand_on() {
    const std::lock_guard lock(mutex_);
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < alive_.size(); ++i)
      if (alive_[i]) left.push_back(i);
    if (left.empty()) return;
    turn_ = left[dice_.below(left.size())];
    changed_.notify_all();
  }

  void end() {
    alive_[own_] = false;
    hand_on();
  }

  static thread_local inline std::size_t own_ = 0;
  Dice dice_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> alive_;
  std::size_t turn_ = 0;
};

}  // namespace plumbline::simulation
