/// From a worker's answer to rows of results.
///
/// Pure: knows the protocol's answer and the row, nothing of rounds, workers or files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "core/run/result.h"
#include "protocol/messages.h"

namespace plumbline {

/// What makes an answer unusable as it stands, in words, or "".
std::string contradiction(const MeasureAnswer& answer);

/// Rows of an answer, numbered: a row without metric where the status has no samples, else one for
/// each metric in the order of the answer; then an UNSUPPORTED one for each metric that is absent.
std::vector<ResultRow> rows_of(const Case& c, const MeasureAnswer& answer);

/// Turns an answer that is unusable into a crash that says so.
void make_consistent(MeasureAnswer& answer);

/// Where and when the rows of a visit come from.
void stamp(std::span<ResultRow> rows, const std::string& device_uuid, const std::string& worker,
           std::int64_t round, std::int64_t order);

/// The row of a case that was not measured, with its status and reason.
ResultRow unmeasured_row(const Case& c, Status status, const std::string& reason);

}  // namespace plumbline
