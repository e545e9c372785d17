/// What the scheduler knows of a worker: it answers requests until it is no longer usable.
///
/// A seam: tests script it, worker_process.h starts the real one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/error.h"
#include "protocol/messages.h"
#include "schedule/worker_kind.h"

namespace plumbline {

/// How a worker ended that was asked to.
struct WorkerEnd {
  std::string complaint;                   // what went wrong in words, or ""
  std::map<std::string, double> sentinel;  // of its goodbye; empty where it said none
};

class Worker {
 public:
  virtual ~Worker() = default;
  virtual const Hello& hello() const = 0;
  /// Profile and process id, as results carry it: `timing-4711`.
  virtual const std::string& name() const = 0;
  /// Its answer. Where it died, spoke nonsense or took longer than `timeout_s`, an answer made for
  /// it: CRASHED or TIMEOUT, with the reason. Nothing: the user wants the run to stop.
  virtual std::optional<MeasureAnswer> measure(const MeasureRequest& request, double timeout_s) = 0;
  /// False once it cannot take another request.
  virtual bool usable() const = 0;
  /// This one's last visits begin; the next worker will be of that kind. What that one can do
  /// without touching the device may begin now. Never throws: its own start tells what is wrong.
  virtual void prepare_next(WorkerKind) {}
  /// Asks it to end, hears its goodbye and waits for its end.
  virtual WorkerEnd finish() = 0;
};

/// The worker did not come up; the message holds the tail of what it printed.
class WorkerStartError : public Error {
 public:
  explicit WorkerStartError(const std::string& message, bool is_lasting = false)
      : Error(message), is_lasting_(is_lasting) {}
  /// Whether another attempt must end the same way.
  bool is_lasting() const { return is_lasting_; }

 private:
  bool is_lasting_;
};

/// The worker is another program than the one that the run began with: what two programs measured
/// is not one run. Nothing can be judged (exit code 3); rows that were measured stay.
class WorkerReplaced : public Error {
 public:
  using Error::Error;
};

/// Starts a fresh worker. Throws WorkerStartError; nullptr: the user wants the run to stop.
using WorkerFactory = std::function<std::unique_ptr<Worker>(WorkerKind)>;

/// The workers of one side of pairs, which measure in each other's memory.
struct PairWorkers {
  /// As WorkerFactory. `arena`: "share" = offers its memory in its hello; "" = keeps it to itself;
  /// else another worker's to measure in.
  std::function<std::unique_ptr<Worker>(WorkerKind, const std::string& arena)> start;
  /// The next ones will be of these kinds. What those can do without touching the device may begin
  /// now. Never throws: their own start tells what is wrong.
  std::function<void(std::span<const WorkerKind>)> stand_by = [](auto) {};
};

}  // namespace plumbline
