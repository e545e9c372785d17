/// The JSON fields of structs (json_fields.h) that appear in more than one file.
#pragma once

#include <concepts>
#include <variant>

#include "core/moment.h"
#include "core/run/direction.h"
#include "core/run/run.h"
#include "store/json/json_fields.h"
#include "store/run/run_json.h"

namespace plumbline {

/// T or const T, so that one describe() serves reader and writer.
template <class U, class T>
concept Is = std::same_as<std::remove_const_t<U>, T>;

/// A time in ISO 8601: read in any form, stored in UTC; "" if unknown.
inline void describe_time(JsonWriter& io, std::string_view key, const std::string& time) {
  io(key, time);
}

inline void describe_time(JsonReader& io, std::string_view key, std::string& time) {
  const std::optional<JsonView> found = io.view().find(key);
  if (!found) return;
  time = found->text();
  if (time.empty() || is_date_alone(time)) return;
  const std::optional<Moment> moment = moment_of(time);
  if (!moment) found->fail(kMomentForms);
  time = utc_text(*moment);
}

template <class Io, Is<FileRef> F>
void describe(Io& io, F& file) {
  io("path", file.path);
  io("hash", file.hash);
}

inline void describe_suite_name(JsonWriter& io, const std::string& name) { io("name", name); }

inline void describe_suite_name(JsonReader& io, std::string& name) {
  io("name", name);
  if (name.empty()) io.view().fail("a suite with a name");
}

template <class Io, Is<RecordedStep> S>
void describe(Io& io, S& step) {
  io("name", step.name);
  io("phases", step.phases);
  io("time_s", step.time_s);
  io("busy_s", step.busy_s);
}

/// Only for the few suites that were recorded from a program.
inline void describe_recorded(JsonWriter& io, const SuiteRef& suite) {
  if (suite.steps.empty()) return;
  io("steps", suite.steps);
  io("calls", suite.calls);
}

inline void describe_recorded(JsonReader& io, SuiteRef& suite) {
  io("steps", suite.steps);
  io("calls", suite.calls);
}

/// Only of shards.
inline void describe_positions(JsonWriter& io, const std::vector<std::int64_t>& positions) {
  if (!positions.empty()) io("positions", positions);
}

inline void describe_positions(JsonReader& io, std::vector<std::int64_t>& positions) {
  io("positions", positions);
}

template <class Io, Is<SuiteRef> S>
void describe(Io& io, S& suite) {
  describe_suite_name(io, suite.name);
  io("path", suite.path);
  io("hash", suite.hash);
  io("sources", suite.sources);
  io("cases", suite.cases);
  describe_positions(io, suite.positions);
  io("thresholds", suite.thresholds);
  io("renames", suite.renames);
  describe_recorded(io, suite);
}

template <class Io, Is<Asked> A>
void describe(Io& io, A& asked) {
  io("suites", asked.suites);
  io("set", asked.set);
  io("filters", asked.filters);
  io("tags", asked.tags);
  io("cases", asked.cases);
  io("policy", asked.policy);
  io("device", asked.device);
  io("extensions", asked.extensions);
}

inline void describe_even_so(JsonWriter& io, const std::string& reason) {
  if (!reason.empty()) io("even_so", reason);
}

inline void describe_even_so(JsonReader& io, std::string& reason) { io("even_so", reason); }

template <class Io, Is<Acceptance> A>
void describe(Io& io, A& acceptance) {
  io("by", acceptance.by);
  io("why", acceptance.why);
  io("at", acceptance.at);
  io("source_hash", acceptance.source_hash);
  describe_even_so(io, acceptance.even_so);
}

template <class Io, Is<Policy> P>
void describe(Io& io, P& policy) {
  for (const PolicyField& field : policy_fields())
    std::visit([&](auto member) { io(field.name, policy.*member); }, field.member);
}

inline void describe(JsonWriter& io, const Environment& environment) {
  for (const EnvironmentField& field : environment_fields())
    io(field.name, field.text(environment));
}

inline void describe(JsonReader& io, Environment& environment) {
  for (const EnvironmentField& field : environment_fields())
    if (const std::optional<JsonView> found = io.view().find(field.name))
      if (const auto expected = field.read(found->text(), environment); !expected.empty())
        found->fail(expected);
}

template <class Io, Is<WorkerRecord> W>
void describe(Io& io, W& worker) {
  io("name", worker.name);
  io("round", worker.round);
  describe_time(io, "started_at", worker.started_at);
  io("calibration", worker.calibration);
  io("sentinel_before", worker.sentinel_before);
  io("sentinel_after", worker.sentinel_after);
  io("start_s", worker.start_s);
}

inline void describe_status(JsonWriter& io, const Status& status) {
  io("status", std::string(name_of(status)));
}

inline void describe_status(JsonReader& io, Status& status) {
  if (const auto found = io.view().find("status")) {
    const std::optional<Status> named = status_named(found->text());
    if (!named) found->fail("a status such as WRONG");
    status = *named;
  }
}

template <class Io, Is<ExpectedFailure> E>
void describe(Io& io, E& expected) {
  io("suite", expected.suite);
  io("case", expected.case_id);
  describe_status(io, expected.status);
  io("reason", expected.reason);
  io("at", expected.at);
}

using Directions = std::map<std::string, std::string>;

inline void describe_better(JsonWriter& io, const Directions& better) {
  if (!better.empty()) io("better", better);
}

inline void describe_better(JsonReader& io, Directions& better) {
  io("better", better);
  for (const auto& [metric, direction] : better)
    if (!better_named(direction))
      io.view().find("better")->find(metric)->fail("\"more\" or \"less\"");
}

template <class Io, Is<MergedShard> S>
void describe(Io& io, S& shard) {
  io("shard", shard.shard);
  io("folder", shard.folder);
  describe_time(io, "started_at", shard.started_at);
  describe_time(io, "finished_at", shard.finished_at);
  io("results_hash", shard.results_hash);
  io("device_uuids", shard.device_uuids);
  io("environment", shard.environment);
  io("calibration", shard.calibration);
}

/// Of shards and merged runs; a run of an earlier Plumbline has no counts.
inline void describe_shards(JsonWriter& io, const RunInfo& info) {
  if (!info.balanced_by.empty()) io("balanced_by", info.balanced_by);
  if (info.selected_cases > 0) io("selected_cases", info.selected_cases);
  if (info.planned_visits > 0) io("planned_visits", info.planned_visits);
  if (!info.shards.empty()) io("shards", info.shards);
}

inline void describe_shards(JsonReader& io, RunInfo& info) {
  io("balanced_by", info.balanced_by);
  io("selected_cases", info.selected_cases);
  io("planned_visits", info.planned_visits);
  io("shards", info.shards);
}

/// Of redacted copies alone.
inline void describe_redacted(JsonWriter& io, const std::vector<std::string>& redacted) {
  if (!redacted.empty()) io("redacted", redacted);
}

inline void describe_redacted(JsonReader& io, std::vector<std::string>& redacted) {
  io("redacted", redacted);
}

template <class Io, Is<RunInfo> I>
void describe(Io& io, I& info) {
  io("format", info.format);
  io("measurement_revision", info.measurement_revision);
  io("plumbline", info.plumbline);
  io("command", info.command);
  io("asked", info.asked);
  io("suites", info.suites);
  describe_time(io, "started_at", info.started_at);
  describe_time(io, "finished_at", info.finished_at);
  io("shard", info.shard);
  describe_shards(io, info);
  io("policy", info.policy);
  io("environment", info.environment);
  io("variables", info.variables);
  describe_better(io, info.better);
  io("calibration", info.calibration);
  io("workers", info.workers);
  io("acceptance", info.acceptance);
  io("expected", info.expected);
  describe_redacted(io, info.redacted);
}

/// Throws Error for JSON that is not `what` ("a run", "a comparison") or has a newer format.
/// `mark`: a key that every such file has.
void check_format(const ParsedJson& json, const std::string& path, std::string_view what,
                  std::string_view mark);

}  // namespace plumbline
