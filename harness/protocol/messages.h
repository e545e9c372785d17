/// The protocol between plumbline and plumbline-worker: one JSON object per line, on separate
/// descriptors (kernels and plug-ins may print to the standard ones).
///
///   worker  -> {"hello": {"protocol": 1, "profiles": […], "environment": {…}, …}}   once, first
///   program -> {"measure": {"case": {…}, "policy": {…}, "round": 0, "seed": 1}}
///   worker  -> {"phase": "verify"}                                any number, while it works
///   worker  -> {"answer": {"status": "OK", "metrics": […], …}}    exactly one per request
///   program -> {"finish": {}}                              optional, the last request
///   worker  -> {"goodbye": {"sentinel": {…}}}              its answer
///
/// End of file ends the worker. Readers ignore unknown keys, so that programs and workers of
/// different versions understand each other; an incompatible change raises kProtocolVersion.
/// docs/reference/protocol.md documents it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/file_ref.h"
#include "core/run/case.h"
#include "core/run/environment.h"
#include "core/run/metric.h"
#include "core/run/result.h"

namespace plumbline {

inline constexpr int kProtocolVersion = 1;
/// Descriptors that the worker inherits.
inline constexpr int kRequestDescriptor = 3;
inline constexpr int kAnswerDescriptor = 4;
/// Results that earlier workers computed (worker/verify/kept_results.h); $PLUMBLINE_KEPT_RESULTS
/// has the number if the descriptor is open.
inline constexpr int kKeptResultsDescriptor = 5;

/// Seconds of the fastest chain of all workers in this run (device/cuda/context_draw.h).
inline constexpr const char* kContextChainVariable = "PLUMBLINE_CONTEXT_CHAIN_S";

/// A worker that is started before its turn waits here for a line (TurnLine) before it touches the
/// device. At end of file it ends. The variable has the descriptor's number.
inline constexpr int kStandbyDescriptor = 6;
inline constexpr const char* kStandbyVariable = "PLUMBLINE_STANDBY";

/// The line for a standby worker when its turn comes: "ARENA CHAIN_S"; either may be empty.
struct TurnLine {
  std::string arena;    // the value for --arena
  std::string chain_s;  // the value for kContextChainVariable
};

/// Ends with a newline.
std::string to_line(const TurnLine& turn);
/// Parses the line without its newline.
TurnLine parse_turn(const std::string& line);

/// An entry in the output of `--devices`: a device that a worker can use.
struct DeviceEntry {
  std::string device;
  Environment environment;
  bool awaits_turn = false;  // its workers wait at kStandbyDescriptor on request
};

/// First line of a worker: its properties and its device.
struct Hello {
  int protocol = kProtocolVersion;
  std::vector<std::string> profiles;          // those that this build supports
  Environment environment;                    // the part about the device and the libraries
  std::map<std::string, double> calibration;  // measured at its start, e.g. event_floor_s
  std::map<std::string, double> sentinel;     // fixed pieces of work, seconds
  std::map<std::string, double> start_s;      // seconds by step of its start
  std::string arena;  // for another worker to measure in; "" = not requested
  // Of its metrics (core/run/run.h); workers before revision 4 did not report it.
  int measurement_revision = 3;
};

/// Last line of a worker after a request to finish.
struct Goodbye {
  std::map<std::string, double> sentinel;
};

struct MeasureRequest {
  Case subject;
  Policy policy;
  std::int64_t round = 0;
  std::int64_t seed = 1;   // of the run
  std::uint64_t draw = 0;  // random, of the run: it decides the contents of timed launches
};

struct MeasureAnswer : VisitOutcome {
  std::vector<MeasuredMetric> metrics;        // empty unless has_samples(status)
  std::map<std::string, std::string> absent;  // metric asked for -> why it could not be measured
  std::vector<FileRef> files;                 // of the suite's code that ran, absolute paths
  std::string left_behind;  // settings of the process that the case changed; "" = none
};

/// A line from the worker: exactly one member is set.
struct WorkerMessage {
  std::optional<Hello> hello;
  std::optional<std::string> phase;
  std::optional<MeasureAnswer> answer;
  std::optional<Goodbye> goodbye;
};

/// A request: measure a case, or finish.
struct Request {
  std::optional<MeasureRequest> measure;  // none: finish
};

std::string to_line(const Hello& hello);
std::string to_line(const MeasureRequest& request);
std::string to_line(const MeasureAnswer& answer);
std::string to_line(const Goodbye& goodbye);
std::string phase_line(std::string_view phase);
std::string finish_line();

/// A JSON list, best device first.
std::string to_text(const std::vector<DeviceEntry>& devices);

/// They throw Error quoting the start of an invalid text. From a hello of another protocol version
/// only the version is read.
std::vector<DeviceEntry> parse_devices(std::string_view text);
WorkerMessage parse_worker_message(std::string_view line);
Request parse_request(std::string_view line);

}  // namespace plumbline
