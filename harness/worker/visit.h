/// One visit of a case: prepare, verify, measure, verify again. Always returns an answer; problems
/// of the case become its status. subjects/ makes the case's launches, verify/verifier.h verifies
/// them.
#pragma once

#include <functional>
#include <string_view>

#include "protocol/messages.h"
#include "worker/session/session.h"

namespace plumbline {

/// Called when a phase of the visit begins.
using OnPhase = std::function<void(std::string_view phase)>;

struct VisitResult {
  MeasureAnswer answer;
  bool has_lost_device = false;  // the process must end after answering
};

VisitResult visit(Session& session, const MeasureRequest& request, const OnPhase& on_phase);

}  // namespace plumbline
