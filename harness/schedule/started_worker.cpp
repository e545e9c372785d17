#include "schedule/started_worker.h"

#include <fmt/chrono.h>

#include <ctime>

namespace plumbline {

std::string note_of_traces(const Case& c, const std::string& left_behind) {
  return c.id + " changed settings of its process (" + left_behind +
         "); the cases after it get a new worker";
}

WorkerRecord record_of_start(const Worker& worker, std::int64_t round,
                             const std::string& device_uuid, const std::string& worker_hash) {
  const Hello& hello = worker.hello();
  const std::string uuid = hello.environment.device_uuid();
  if (!device_uuid.empty() && uuid != device_uuid)
    throw Error("the worker uses device '" + uuid + "', the run uses '" + device_uuid + "'");
  const std::string& hash = hello.environment.worker_hash;
  if (!worker_hash.empty() && !hash.empty() && hash != worker_hash)
    throw WorkerReplaced("the worker was rebuilt or replaced while it was in use: its hash was " +
                         worker_hash + " and is " + hash +
                         ". Two workers' results are not one run, so nothing is judged. What was "
                         "measured is kept. Leave the worker alone, and measure again into another "
                         "folder");
  return {worker.name(),
          round,
          fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr))),
          hello.calibration,
          hello.sentinel,
          {},
          hello.measurement_revision,
          hello.start_s};
}

}  // namespace plumbline
