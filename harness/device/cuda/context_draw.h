/// Which CUDA context a process measures in: a draw that it can repeat.
///
/// Every context of a GPU has its own fixed cost between kernels of one stream. On an H200 a chain
/// of eight short kernels took 28.25 to 29.9 us (6 %) in 28 contexts, the same within 0.3 % for as
/// long as a context lived and whichever stream it used; launches of several kernels moved with it
/// by up to 4 % between processes. A new context is a new draw (0.14 s), and about a third of them
/// are of the fastest kind: a worker draws until it has one of those.
#pragma once

#include <vector>

namespace plumbline::cuda {

struct ContextDraw {
  double chain_s = 0;  // what the chain takes in the context that was kept
  int draws = 0;
};

/// Leaves the device with the kept context as its primary one. Destroys the present one, with all
/// that was made in it: to be called before anything else of CUDA. `known_s`: the fastest chain
/// that another process of this run had on this device, kUnknown where none is known. Throws
/// DeviceError.
ContextDraw draw_context(int ordinal, double known_s);

/// Whether to keep the last of these contexts: it is as fast as the one that is known, or so many
/// were drawn that one of them will be of the fastest kind, and none was faster by more than
/// kSameKind; or there were kDrawsMax.
bool is_good_draw(const std::vector<double>& chains_s, double known_s);

inline constexpr int kDrawsMin = 6, kDrawsMax = 12;
inline constexpr double kSameKind = 0.006;

}  // namespace plumbline::cuda
