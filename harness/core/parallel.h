/// Runs work on all processors.
///
/// The result must not depend on the number of processors: a body writes only what belongs to its
/// own indices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace plumbline {

/// In another thread, or by whoever waits for the result if the system gives no thread.
inline constexpr auto kThreadIfAny = std::launch::async | std::launch::deferred;

/// Calls `body(begin, end)` for ranges that together cover 0 … `count` − 1, one thread per
/// processor. Returns when all are done. Rethrows an exception of a body.
template <class Body>
void for_each_share(std::size_t count, const Body& body) {
  const std::size_t shares =
      std::min(count, std::max<std::size_t>(1, std::thread::hardware_concurrency()));
  std::vector<std::future<void>> others;  // the destructor of each waits for its thread
  for (std::size_t i = 1; i < shares; ++i)
    others.push_back(std::async(kThreadIfAny, [&body, count, shares, i] {
      body(count * i / shares, count * (i + 1) / shares);
    }));
  if (shares > 0) body(0, count / shares);
  for (std::future<void>& other : others) other.get();
}

/// Calls `body(i)` for i = 0 … `count` − 1, in any order.
template <class Body>
void for_each_index(std::size_t count, const Body& body) {
  for_each_share(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace plumbline
