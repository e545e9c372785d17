#pragma once

namespace plumbline {

/// CUDA contexts whose chains of kernels differ by up to this share count as equally fast: a chain
/// is constant within 0.3 % during a context's life, and differs by up to 6 % between contexts
/// (device/cuda/context_draw.h).
inline constexpr double kSameContextKind = 0.006;

}  // namespace plumbline
