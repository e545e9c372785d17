/// Variances of single cases, moderated over similar cases: few visits or runs alone show a
/// variance badly (Smyth 2004, stats/moderation.h).
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace plumbline {

struct Noise {
  double variance = 0;  // of a logarithm: of a visit, a run, or a difference of estimates
  double df = 0;        // degrees of freedom; 0: unknown
};

/// What one case × metric alone shows.
struct OwnNoise {
  std::string_view metric, op;  // cases that share them are similar
  double variance = 0;
  double df = 0;     // 0: shows nothing
  double floor = 0;  // lower bound of its variance
};

/// Moderates by metric, and within a metric by op if at least eight of its cases show a variance.
/// Cases without one get the prior of similar cases; if none of a metric shows one, degrees of
/// freedom stay 0. Degrees of freedom never exceed the sum over the similar cases (as in limma).
std::vector<Noise> moderated_noise(std::span<const OwnNoise> own);

}  // namespace plumbline
