/// Cases that ran the same machine code on both sides are controls, too: their kernels should take
/// the same time. Pure.
#pragma once

#include <set>
#include <string>

#include "analysis/compare/comparison.h"
#include "core/run/case.h"

namespace plumbline {

/// "1 of 30 cases that ran the same machine code … was called SLOWER or FASTER (rate below 15 %)":
/// of the judged cases among `equal`, by the metrics of time on a GPU. "" if there are none. They
/// are weaker controls than those of SelfCheck: their host code and arguments may differ.
std::string equal_code_text(const Comparison& comparison, const std::set<CaseKey>& equal);

}  // namespace plumbline
