/// Options and results of tests: the alternative, the method, and the p value.
///
/// Pure numbers, no cases. Knows no test.
#pragma once

namespace plumbline {

/// `greater` means that the values tend to rise.
enum class Alternative { two_sided, less, greater };

/// How a p value or an interval is computed. `automatic` chooses exact where that is affordable, as
/// each test documents; results are never marked `automatic`.
enum class Method { automatic, exact, asymptotic };

/// Probabilities, under the null hypothesis, of a statistic at most and at least as large as the
/// observed one.
struct Tails {
  double less = 1, greater = 1;
};

/// The tail for the alternative; two-sided is twice the smaller tail, at most 1. For a symmetric
/// distribution, that is the probability of being at least as far from its center.
double p_value(const Tails& tails, Alternative alternative);

/// Normal tails of a statistic that lies `distance` above its mean. `correction` moves it towards
/// the mean on each side (half of the statistic's step). 1 and 1 if `sd` is 0.
Tails normal_tails(double distance, double sd, double correction);

/// Whether to use the exact method: asked for, or `by_itself` if the choice is automatic.
inline bool is_exact(Method asked, bool by_itself) {
  return asked == Method::automatic ? by_itself : asked == Method::exact;
}

}  // namespace plumbline
