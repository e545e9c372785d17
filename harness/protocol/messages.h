/// What plumbline and plumbline-worker say to each other: one JSON object a line, on descriptors of
/// their own (kernels and plug-ins may print to the standard ones).
///
///   worker  -> {"hello": {"protocol": 1, "profiles": […], "environment": {…}, …}}   once, first
///   program -> {"measure": {"case": {…}, "policy": {…}, "round": 0, "seed": 1}}
///   worker  -> {"phase": "verify"}                                any number, while it works
///   worker  -> {"answer": {"status": "OK", "metrics": […], …}}    exactly one per request
///   program -> {"finish": {}}                              optional, the last request
///   worker  -> {"goodbye": {"sentinel": {…}}}              its answer
///
/// End of file ends the worker. Readers ignore keys that they do not know, so that programs and
/// workers of different ages understand each other; a change that breaks that raises
/// kProtocolVersion. docs/reference/protocol.md is the page about it.
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
/// What its predecessors computed (worker/verify/kept_results.h); $PLUMBLINE_KEPT_RESULTS names it
/// where it is there.
inline constexpr int kKeptResultsDescriptor = 5;

/// Seconds of the fastest chain that a worker of this run has had (device/cuda/context_draw.h).
inline constexpr const char* kContextChainVariable = "PLUMBLINE_CONTEXT_CHAIN_S";

/// A worker that is started before its turn waits here, before it touches the device, for a line
/// (TurnLine). At end of file it ends. The variable holds the descriptor's number.
inline constexpr int kStandbyDescriptor = 6;
inline constexpr const char* kStandbyVariable = "PLUMBLINE_STANDBY";

/// What a worker that stands by is told when its turn comes: "ARENA CHAIN_S", either may be empty.
struct TurnLine {
  std::string arena;    // what --arena would have said
  std::string chain_s;  // what kContextChainVariable would have
};

/// Ends in a newline.
std::string to_line(const TurnLine& turn);
/// Of the line without its newline.
TurnLine parse_turn(const std::string& line);

/// An entry of what `--devices` prints: a device that a worker can stand on.
struct DeviceEntry {
  std::string device;
  Environment environment;
  bool awaits_turn = false;  // its workers wait at kStandbyDescriptor where they are told to
};

/// First line of a worker: who it is and on which device it stands.
struct Hello {
  int protocol = kProtocolVersion;
  std::vector<std::string> profiles;          // that this build can serve
  Environment environment;                    // the device's and the libraries' part
  std::map<std::string, double> calibration;  // e.g. event_floor_s; what the worker measured first
  std::map<std::string, double> sentinel;     // fixed pieces of work, seconds
  std::map<std::string, double> start_s;      // seconds by step of its start
  std::string arena;  // for another worker to measure in; "" = not asked for
  // That its metrics mean (core/run/run.h); workers did not tell before the fourth.
  int measurement_revision = 3;
};

/// Last line of a worker that was asked to finish.
struct Goodbye {
  std::map<std::string, double> sentinel;
};

struct MeasureRequest {
  Case subject;
  Policy policy;
  std::int64_t round = 0;
  std::int64_t seed = 1;   // of the run
  std::uint64_t draw = 0;  // random, of the run: the contents of timed launches follow from it
};

struct MeasureAnswer : VisitOutcome {
  std::vector<MeasuredMetric> metrics;        // empty unless has_samples(status)
  std::map<std::string, std::string> absent;  // metric asked for -> why it could not be measured
  std::vector<FileRef> files;                 // of the suite's code that ran, paths whole
  std::string left_behind;  // settings of the process that the case changed; "" = none
};

/// A line of the worker: exactly one member is set.
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

/// A list in JSON, best device first.
std::string to_text(const std::vector<DeviceEntry>& devices);

/// Throw Error quoting the head of the text where it is none. Of a hello in another protocol
/// nothing is read but its number.
std::vector<DeviceEntry> parse_devices(std::string_view text);
WorkerMessage parse_worker_message(std::string_view line);
Request parse_request(std::string_view line);

}  // namespace plumbline
