/// Chooses the CUDA context that a process measures in. It can recreate the context to get another.
///
/// Every context of a GPU has its own fixed cost between kernels of one stream. On an H200 a chain
/// of eight short kernels took 28.25 to 29.9 us (6 %) in 28 contexts. The time was constant within
/// 0.3 % during a context's life and on all its streams. Times of launches of several kernels
/// changed with it by up to 4 % between processes. A new context (0.14 s) has a new random cost,
/// and about a third of them have the lowest: a worker recreates its context until it has one of
/// these.
#pragma once

#include <vector>

namespace plumbline::cuda {

struct ContextDraw {
  double chain_s = 0;  // time of the chain in the context that was kept
  int draws = 0;
};

/// Makes the kept context the device's primary one. Destroys the present context with everything in
/// it: call it before anything else of CUDA. `known_s`: the fastest chain that another process of
/// this run had on this device, or kUnknown. Throws DeviceError.
ContextDraw draw_context(int ordinal, double known_s);

/// Whether to keep the last of these contexts. True if it is as fast as the known chain. True if at
/// least kDrawsMin were drawn and none was faster (core/run/context_kind.h). True after kDrawsMax.
bool is_good_draw(const std::vector<double>& chains_s, double known_s);

inline constexpr int kDrawsMin = 6, kDrawsMax = 12;

}  // namespace plumbline::cuda
