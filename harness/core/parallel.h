/// Work on many things by all processors.
///
/// Knows neither the things nor the work. What comes out must not depend on how many processors
/// there are: a body writes only what belongs to its own indices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace plumbline {

/// Calls `body(begin, end)` for ranges that make up 0 … `count` − 1, in as many threads as there
/// are processors, and returns when all have. An exception of a body is thrown again.
template <class Body>
void for_each_share(std::size_t count, const Body& body) {
  const std::size_t shares =
      std::min(count, std::max<std::size_t>(1, std::thread::hardware_concurrency()));
  std::vector<std::future<void>> others;  // each waits for its thread when it is destroyed
  for (std::size_t i = 1; i < shares; ++i)
    others.push_back(std::async(std::launch::async, [&body, count, shares, i] {
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
