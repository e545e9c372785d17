/// Turns a worker's answer into rows of results.
///
/// Pure: knows the answer and the row, nothing about rounds, workers or files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/run/case.h"
#include "core/run/result.h"
#include "protocol/messages.h"

namespace plumbline {

/// Why an answer is unusable, in words, or "".
std::string contradiction(const MeasureAnswer& answer);

/// The numbered rows of an answer: one for each metric, in the answer's order, or one without a
/// metric if the status has no samples. An UNSUPPORTED row for each absent metric follows.
std::vector<ResultRow> rows_of(const Case& c, const MeasureAnswer& answer);

/// Turns an unusable answer into a crash with that reason.
void make_consistent(MeasureAnswer& answer);

/// Sets where and when the rows of a visit were measured.
void stamp(std::span<ResultRow> rows, const std::string& device_uuid, const std::string& worker,
           std::int64_t round, std::int64_t order);

/// The row of a case that was not measured, with its status and reason.
ResultRow unmeasured_row(const Case& c, Status status, const std::string& reason);

}  // namespace plumbline
