/// Where the time of changed cases went: phases of their steps, kernels of their launches.
///
/// What is only shown (phases, kernels of a trace) locates a change that a verdict has established;
/// it decides nothing.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/causes/cause_draft.h"

namespace plumbline {

/// Times of phases by suite and case.
using PhasesByCase =
    std::map<std::pair<std::string_view, std::string_view>, std::vector<const ShownMetric*>>;
PhasesByCase phases_by_case(std::span<const ShownMetric> shown);

/// Phases, then kernels; of each kind the largest movement first, and only movements of at least a
/// tenth of the largest and of `cost_s`, the change of the cause. Empty if no case has several
/// phases or several kernels on both sides.
std::vector<MovedPart> moved_parts(const CauseDraft& draft, const std::vector<Finding>& findings,
                                   const PhasesByCase& phases, double cost_s);

}  // namespace plumbline
