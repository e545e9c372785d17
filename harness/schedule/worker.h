/// The scheduler's view of a worker: it answers requests until it is no longer usable.
///
/// An interface: tests script it, worker_process.h implements it.
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

/// How a worker ended after a request to finish.
struct WorkerEnd {
  std::string complaint;                   // what went wrong, in words, or ""
  std::map<std::string, double> sentinel;  // from its goodbye; empty without a goodbye
};

class Worker {
 public:
  virtual ~Worker() = default;
  virtual const Hello& hello() const = 0;
  /// Profile and process id, as in results: `timing-4711`.
  virtual const std::string& name() const = 0;
  /// Returns the worker's answer. If it died, sent an invalid line or exceeded `timeout_s`, the
  /// answer is CRASHED or TIMEOUT with the reason. Nothing if the user wants the run to stop.
  virtual std::optional<MeasureAnswer> measure(const MeasureRequest& request, double timeout_s) = 0;
  /// False if it cannot take another request.
  virtual bool usable() const = 0;
  /// Called when this worker's last visits begin, with the kind of the next worker. That one may
  /// start everything that does not touch the device. Never throws: its own start reports errors.
  virtual void prepare_next(WorkerKind) {}
  /// Asks the worker to end, reads its goodbye and waits for its end.
  virtual WorkerEnd finish() = 0;
};

/// The worker did not start; the message has the end of its output.
class WorkerStartError : public Error {
 public:
  explicit WorkerStartError(const std::string& message, bool is_lasting = false)
      : Error(message), is_lasting_(is_lasting) {}
  /// Whether another attempt would fail in the same way.
  bool is_lasting() const { return is_lasting_; }

 private:
  bool is_lasting_;
};

/// The worker is another program than at the start of the run. Results of two programs are not one
/// run: nothing is judged (exit code 3), and measured rows stay.
class WorkerReplaced : public Error {
 public:
  using Error::Error;
};

/// Starts a new worker. Throws WorkerStartError; nullptr: the user wants the run to stop.
using WorkerFactory = std::function<std::unique_ptr<Worker>(WorkerKind)>;

/// The workers of one side of a pair; they can measure in the other side's memory.
struct PairWorkers {
  /// Like WorkerFactory. `arena`: "share" = offer its memory in the hello; "" = do not share; else
  /// the handle of another worker's memory.
  std::function<std::unique_ptr<Worker>(WorkerKind, const std::string& arena)> start;
  /// Announces the kinds of the next workers, which may start everything that does not touch the
  /// device. Never throws: their own start reports errors.
  std::function<void(std::span<const WorkerKind>)> stand_by = [](auto) {};
};

}  // namespace plumbline
