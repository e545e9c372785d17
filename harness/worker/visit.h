/// One visit of a case: prepare, verify, measure, verify again. Always gives an answer; what goes
/// wrong with the case is its status. What the case's launches are is subjects/'s, how they are
/// verified verify/verifier.h's.
#pragma once

#include <functional>
#include <string_view>

#include "protocol/messages.h"
#include "worker/session/session.h"

namespace plumbline {

/// Told which part of the visit begins.
using OnPhase = std::function<void(std::string_view phase)>;

struct VisitResult {
  MeasureAnswer answer;
  bool has_lost_device = false;  // the process must end after answering
};

VisitResult visit(Session& session, const MeasureRequest& request, const OnPhase& on_phase);

}  // namespace plumbline
