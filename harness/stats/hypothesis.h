/// What a test is asked and how it answers: the side it looks at, and where its p value comes from.
///
/// Pure numbers, no cases. Knows no test.
#pragma once

namespace plumbline {

/// `greater` means that the values tend to rise.
enum class Alternative { two_sided, less, greater };

/// Where a p value or an interval comes from. `automatic` asks for the exact one where it is
/// affordable, which each test states; no test answers with it.
enum class Method { automatic, exact, asymptotic };

/// Probabilities, if nothing is going on, of a statistic as small as the one seen, and as large;
/// both count the one seen.
struct Tails {
  double less = 1, greater = 1;
};

/// The tail asked for; two-sided twice the smaller one, at most 1. Where the distribution is
/// symmetric that is the probability of lying as far off its middle.
double p_value(const Tails& tails, Alternative alternative);

/// Normal tails of a statistic that lies `distance` above its mean, brought nearer to it by
/// `correction` on either side (half of the statistic's step). 1 and 1 where `sd` is 0.
Tails normal_tails(double distance, double sd, double correction);

/// Whether the exact method is meant: asked for, or `by_itself` where the choice is automatic.
inline bool is_exact(Method asked, bool by_itself) {
  return asked == Method::automatic ? by_itself : asked == Method::exact;
}

}  // namespace plumbline
