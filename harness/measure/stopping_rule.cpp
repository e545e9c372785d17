#include "measure/stopping_rule.h"

#include <algorithm>
#include <limits>

#include "stats/descriptive.h"
#include "stats/student_t.h"

namespace plumbline {

void StoppingRule::add_block(double median_s, double spent_s) {
  medians_s_.push_back(median_s);
  spent_s_ += spent_s;
}

double StoppingRule::relative_half_width() const {
  if (medians_s_.size() < 2) return std::numeric_limits<double>::infinity();
  const double center = mean(medians_s_);
  if (center <= 0) return std::numeric_limits<double>::infinity();
  return mean_interval(medians_s_, 0.95).half_width() / center;
}

bool StoppingRule::is_imprecise() const {
  return relative_half_width() > std::max(policy_.precision, 0.01);
}

bool StoppingRule::is_finished() const {
  const auto blocks = static_cast<std::int64_t>(medians_s_.size());
  if (blocks < policy_.blocks_min) return false;
  return blocks >= policy_.blocks_max || spent_s_ >= policy_.budget_s ||
         relative_half_width() <= policy_.precision;
}

}  // namespace plumbline
