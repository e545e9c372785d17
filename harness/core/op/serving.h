/// Requests that a network serves one after another, as `serve:` of a suite declares them.
#pragma once

#include "core/op/declaration.h"

namespace plumbline {

struct Serving {
  int requests = 0;
  double rate = 0;   // arrivals per second; 0: each comes when the one before is done
  double items = 1;  // that one request serves: samples, tokens
};

/// The least number of requests that have a 99th percentile, and a 99.9th.
inline constexpr int kFewestRequests = 100, kRequestsOfP999 = 1000;

/// The values for a case. Throws Error, which says what is allowed.
Serving serving_of(const NamedExpressions& serve, const Params& params);

}  // namespace plumbline
