/// Variances of single cases, moderated over their like: few visits or runs know their own badly
/// (Smyth 2004, stats/moderation.h).
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace plumbline {

struct Noise {
  double variance = 0;  // of a logarithm: of a visit, a run, or a difference of estimates
  double df = 0;        // degrees of freedom; 0: not known
};

/// What one case × metric shows itself.
struct OwnNoise {
  std::string_view metric, op;  // by which cases are alike
  double variance = 0;
  double df = 0;     // 0: it shows nothing
  double floor = 0;  // the least that its variance can be
};

/// By metric, and within it by op where eight cases of it or more show their own. What is unknown
/// of a case is the prior of its like; of metrics of which nothing is known it keeps 0 degrees of
/// freedom. These never exceed what the like as a whole have (limma does the same).
std::vector<Noise> moderated_noise(std::span<const OwnNoise> own);

}  // namespace plumbline
