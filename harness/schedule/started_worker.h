/// Checks and records a worker that has just started.
#pragma once

#include <cstdint>
#include <string>

#include "core/run/case.h"
#include "core/run/result.h"
#include "schedule/worker.h"

namespace plumbline {

/// How many times in a row a worker may fail to start.
inline constexpr int kStartAttempts = 3;

/// Note that a case changed settings of its worker's process, which is then replaced.
std::string note_of_traces(const Case& c, const std::string& left_behind);

/// The record of a worker that started now. Throws Error if it is on another device than the run,
/// WorkerReplaced if it is another program; "" = any.
WorkerRecord record_of_start(const Worker& worker, std::int64_t round,
                             const std::string& device_uuid, const std::string& worker_hash);

}  // namespace plumbline
