/// A worker that has just started: on the right device, and what is recorded of it.
#pragma once

#include <cstdint>
#include <string>

#include "core/run/case.h"
#include "core/run/result.h"
#include "schedule/worker.h"

namespace plumbline {

/// How often in a row a worker may fail to start.
inline constexpr int kStartAttempts = 3;

/// That a case changed its worker's process, which is replaced.
std::string note_of_traces(const Case& c, const std::string& left_behind);

/// Started now. Throws Error where it stands on another device than the run, WorkerReplaced where
/// it is another program; "" = any will do.
WorkerRecord record_of_start(const Worker& worker, std::int64_t round,
                             const std::string& device_uuid, const std::string& worker_hash);

}  // namespace plumbline
