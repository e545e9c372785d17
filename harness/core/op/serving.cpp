#include "core/op/serving.h"

#include <cmath>

#include "core/error.h"
#include "core/expression/expression.h"

namespace plumbline {
namespace {

constexpr double kMostRequests = 1e7;

double number_of(const NamedExpressions& serve, const std::string& name, double fallback,
                 const Params& params) {
  for (const auto& [known, expression] : serve)
    if (known == name) return evaluate_number(expression, params);
  return fallback;
}

}  // namespace

Serving serving_of(const NamedExpressions& serve, const Params& params) {
  const double requests = number_of(serve, "requests", 0, params);
  const double rate = number_of(serve, "rate", 0, params);
  const double items = number_of(serve, "items", 1, params);
  const bool is_count =
      requests >= kFewestRequests && requests <= kMostRequests && requests == std::floor(requests);
  if (!is_count || !(rate >= 0) || !std::isfinite(rate) || !(items > 0) || !std::isfinite(items))
    throw Error("serve: found requests " + shortest_text(requests) + ", rate " +
                shortest_text(rate) + ", items " + shortest_text(items) + "; allowed: " +
                std::to_string(kFewestRequests) + " to " + shortest_text(kMostRequests) +
                " requests, a rate of 0 (no rate) or more per second, items above 0");
  return {int(requests), rate, items};
}

}  // namespace plumbline
