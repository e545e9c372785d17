#include "store/verdict/comparison_json.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "analysis/causes/step_times.h"
#include "core/error.h"
#include "store/file.h"
#include "store/json/describe.h"
#include "store/json/describe_ledger.h"
#include "store/json/describe_self_check.h"
#include "store/run/moved_runs.h"
#include "store/verdict/causes_json.h"
#include "store/verdict/code_json.h"

namespace plumbline {

template <class Io, Is<DecisionRule> D>
void describe(Io& io, D& rule) {
  io("confidence", rule.confidence);
  io("margin", rule.margin);
  io("effect_floor", rule.effect_floor);
  io("false_discovery_rate", rule.false_discovery_rate);
  io("run_sd", rule.run_sd);
  io("run_df", rule.run_df);
  io("shift_floor", rule.shift_floor);
  io("control_share", rule.control_share);
}

template <class Io, Is<BlindSpot> B>
void describe(Io& io, B& spot) {
  io("detectable", spot.detectable);
  io("margin", spot.margin);
  io("block_sd", spot.block_sd);
  io("visit_sd", spot.visit_sd);
  io("run_sd", spot.run_sd);
  io("rounds", spot.rounds);
  io("blocks", spot.blocks);
  io("pairs", spot.pairs);
  io("cure", spot.cure);
}

void describe_part(JsonWriter& io, const RunPart& part) { io("part", std::string(name_of(part))); }

void describe_part(JsonReader& io, RunPart& part) {
  const auto found = io.view().find("part");
  if (!found) return;  // older versions only had the whole run
  const auto named = std::ranges::find(kRunPartNames, found->text());
  if (named == kRunPartNames.end()) found->fail("one of whole, compute-bound, memory-bound, host");
  part = static_cast<RunPart>(named - kRunPartNames.begin());
}

template <class Io, Is<RunShift> S>
void describe(Io& io, S& shift) {
  io("change", shift.change);
  io("change_low", shift.change_low);
  io("change_high", shift.change_high);
  io("cases", shift.cases);
  io("of_cases", shift.of_cases);
  describe_part(io, shift.part);
}

template <class Io, Is<EnvironmentChange> E>
void describe(Io& io, E& change) {
  io("name", change.name);
  io("label", change.label);
  io("kind", change.kind);
  io("baseline", change.baseline);
  io("candidate", change.candidate);
}

void describe_verdict(JsonWriter& io, const Verdict& verdict) {
  io("verdict", std::string(name_of(verdict)));
}

void describe_verdict(JsonReader& io, Verdict& verdict) {
  if (const auto found = io.view().find("verdict")) {
    const std::optional<Verdict> named = verdict_named(found->text());
    if (!named) {
      std::string expected = "one of";
      for (const std::string_view name : kVerdictNames) expected.append(" ").append(name);
      found->fail(expected);
    }
    verdict = *named;
  }
}

/// Writes values that few findings have only for those findings.
template <class T>
void describe_rare(JsonWriter& io, std::string_view key, const T& value) {
  if (value != T{}) io(key, value);
}
template <class T>
void describe_rare(JsonReader& io, std::string_view key, T& value) {
  io(key, value);
}

template <class Io, Is<Noise> N>
void describe(Io& io, N& noise) {
  io("variance", noise.variance);
  io("df", noise.df);
}

/// Left out if it is unknown.
void describe_known(JsonWriter& io, std::string_view key, const Noise& noise) {
  if (noise.df > 0) io(key, noise);
}
void describe_known(JsonReader& io, std::string_view key, Noise& noise) { io(key, noise); }

/// Leaves `value` out if it is `usual`; readers then assume `usual`.
template <class T>
void describe_unusual(JsonWriter& io, std::string_view key, const T& value, T usual) {
  if (value != usual) io(key, value);
}
template <class T>
void describe_unusual(JsonReader& io, std::string_view key, T& value, T) {
  io(key, value);
}

template <class Io, Is<Derivation> D>
void describe(Io& io, D& way) {
  io("change", way.change);
  describe_unusual(io, "center_runs", way.center_runs, std::size_t(1));
  describe_rare(io, "shift", way.shift);
  describe_rare(io, "shift_error", way.shift_error);
  io("inverse_visits", way.inverse_visits);
  io("own_visits", way.own_visits);
  io("block_floor", way.block_floor);
  io("visits", way.visits);
  describe_unusual(io, "is_on_new_machine", way.is_on_new_machine, false);
  describe_known(io, "own_runs", way.own_runs);
  describe_known(io, "runs", way.runs);
  describe_known(io, "rule", way.rule);
  describe_rare(io, "disturbed_variance", way.disturbed_variance);
  describe_rare(io, "disturbed_df", way.disturbed_df);
  describe_rare(io, "resolution", way.resolution);
  describe_unusual(io, "widened", way.fit.errors, 1.0);
  describe_unusual(io, "narrowed", way.fit.runs, 1.0);
  io("change_noise", way.change_noise);
  io("error", way.error);
  io("level", way.level);
  io("least_called", way.least_called);
}

using SharedDerivation = std::shared_ptr<const Derivation>;

void describe_derivation(JsonWriter& io, const SharedDerivation& way) {
  if (way) io("derivation", *way);
}
void describe_derivation(JsonReader& io, SharedDerivation& way) {
  std::optional<Derivation> found;
  io("derivation", found);
  if (found) way = std::make_shared<const Derivation>(*found);
}

template <class Io, Is<Finding> F>
void describe(Io& io, F& finding) {
  io("suite", finding.suite);
  io("case", finding.case_id);
  io("op", finding.op);
  io("backend", finding.backend);
  io("metric", finding.metric);
  io("unit", finding.unit);
  describe_verdict(io, finding.verdict);
  io("reason", finding.reason);
  io("baseline_status", finding.baseline_status);
  io("candidate_status", finding.candidate_status);
  io("baseline", finding.baseline);
  io("candidate", finding.candidate);
  io("change", finding.change);
  io("change_low", finding.change_low);
  io("change_high", finding.change_high);
  io("raw_change", finding.raw_change);
  io("p_value", finding.p_value);
  io("adjusted_p", finding.adjusted_p);
  io("detectable", finding.detectable);
  io("threshold", finding.threshold);
  io("baseline_visits", finding.baseline_visits);
  io("candidate_visits", finding.candidate_visits);
  io("pairs", finding.pairs);
  io("discarded_pairs", finding.discarded_pairs);
  io("screened", finding.screened);
  io("rerun_visits", finding.rerun_visits);
  io("baseline_today", finding.baseline_today);
  io("candidate_today", finding.candidate_today);
  io("flags", finding.flags);
  io("blind", finding.blind);
  io("cause", finding.cause);
  describe_rare(io, "entry", finding.entry);
  describe_rare(io, "renamed_from", finding.renamed_from);
  describe_derivation(io, finding.derivation);
}

template <class Io, Is<NullCheck> N>
void describe(Io& io, N& check) {
  io("metric", check.metric);
  io("lambda", check.lambda);
  io("low", check.low);
  io("high", check.high);
  io("cases", check.cases);
  io("widened", check.fit.errors);
  io("narrowed", check.fit.runs);
}

void describe_kind(JsonWriter& io, const DistributionKind& kind) {
  io("kind", std::string(name_of(kind)));
}

void describe_kind(JsonReader& io, DistributionKind& kind) {
  const auto found = io.view().find("kind");
  if (!found) return;
  const auto named = std::ranges::find(kDistributionKindNames, found->text());
  if (named == kDistributionKindNames.end()) found->fail("one of tail, modes");
  kind = static_cast<DistributionKind>(named - kDistributionKindNames.begin());
}

template <class Io, Is<DistributionChange> D>
void describe(Io& io, D& change) {
  describe_kind(io, change.kind);
  io("suite", change.suite);
  io("case", change.case_id);
  io("op", change.op);
  io("backend", change.backend);
  io("metric", change.metric);
  io("change", change.change);
  io("change_low", change.change_low);
  io("change_high", change.change_high);
  io("before", change.before);
  io("now", change.now);
  io("gap", change.gap);
  io("visits_before", change.visits_before);
  io("visits_now", change.visits_now);
  io("p_value", change.p_value);
  io("adjusted_p", change.adjusted_p);
}

template <class Io, Is<ShownMetric> S>
void describe(Io& io, S& metric) {
  io("suite", metric.suite);
  io("case", metric.case_id);
  io("metric", metric.metric);
  io("unit", metric.unit);
  io("baseline", metric.baseline);
  io("candidate", metric.candidate);
  io("change", metric.change);
}

/// Their texts are put in later (write_comparison).
void describe_findings(JsonWriter& io, const std::vector<Finding>&) {
  io("findings", std::vector<std::string>{});
}
void describe_findings(JsonReader& io, std::vector<Finding>& findings) { io("findings", findings); }

template <class Io, Is<Comparison> C>
void describe(Io& io, C& comparison) {
  io("format", comparison.format);
  io("baseline_path", comparison.baseline_path);
  io("candidate_path", comparison.candidate_path);
  io("baseline", comparison.baseline);
  io("candidate", comparison.candidate);
  io("rule", comparison.rule);
  io("environment_changes", comparison.environment_changes);
  io("shift", comparison.shift);
  io("part_shifts", comparison.part_shifts);
  io("causes", comparison.causes);
  describe_code(io, comparison.code_changes);
  describe_findings(io, comparison.findings);
  io("shown", comparison.shown);
  io("notes", comparison.notes);
  io("null_check", comparison.null_check);
  io("distribution_changes", comparison.distribution_changes);
  io("self_check", comparison.self_check);
  describe_unusual(io, "is_ab", comparison.is_ab, false);
  describe_rare(io, "refusal", comparison.refusal);
  io("ledger", comparison.ledger);
}

namespace {

/// Numbers of cases by verdict; those that the ledger excuses are counted separately.
Json census_json(const Census& census) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kVerdictNames.size(); ++i)
    json[std::string(kVerdictNames[i])] = census.verdicts[i];
  for (std::size_t i = 0; i < kEntryKindNames.size(); ++i)
    json[std::string(kEntryKindNames[i])] = census.excused[i];
  return json;
}

/// The result of step_times(), for other programs; it is not read back.
Json steps_json(const Comparison& comparison) {
  Json steps = Json::array();
  for (const StepTime& step : step_times(comparison)) {
    Json parts = Json::array();
    for (const StepPart& part : step.parts)
      parts.push_back({{"case", part.case_id},
                       {"calls", part.calls},
                       {"baseline", part.baseline_s},
                       {"candidate", part.candidate_s}});
    JsonWriter io;
    io("suite", step.suite);
    io("step", step.step);
    io("phase", step.phase);
    io("baseline", step.baseline_s);
    io("candidate", step.candidate_s);
    io("half_width", step.half_width_s);
    io("measured", step.measured_s);
    io("untimed", std::int64_t(step.untimed));
    Json& json = steps.emplace_back(io.object());
    json["parts"] = std::move(parts);
  }
  return steps;
}

}  // namespace

void write_comparison(const Comparison& comparison, const std::string& path) {
  Json json = JsonWriter::encode(comparison);
  json["census"] = census_json(census_of(comparison));
  if (Json steps = steps_json(comparison); !steps.empty()) json["steps"] = std::move(steps);
  const std::vector<Finding>& findings = comparison.findings;
  write_atomically(path, json_pieces(json, "findings", findings.size(), [&](std::size_t i) {
                     return JsonWriter::encode(findings[i]);
                   }));
}

namespace {

Comparison comparison_of(const ParsedJson& json, const std::string& path) {
  check_format(json, path, "a comparison", "findings");
  Comparison comparison;
  JsonReader reader(JsonView(json, path));
  describe(reader, comparison);
  for (const Finding& finding : comparison.findings) {
    if (finding.cause > comparison.causes.size())
      throw Error(path + ": " + finding.case_id + " names cause " + std::to_string(finding.cause) +
                  ", the file has " + std::to_string(comparison.causes.size()));
    if (finding.entry > comparison.ledger.size())
      throw Error(path + ": " + finding.case_id + " names entry " + std::to_string(finding.entry) +
                  " of the ledger, the file has " + std::to_string(comparison.ledger.size()));
  }
  find_moved_runs(comparison, path);
  return comparison;
}

/// Avoids reading gigabytes of a table to find that it is not JSON.
bool begins_an_object(const std::string& path) {
  InputFile file(path);
  char first = ' ';
  while (std::isspace(static_cast<unsigned char>(first)) && file.read(&first, 1) == 1) continue;
  return first == '{';
}

}  // namespace

Comparison read_comparison(const std::string& path) { return comparison_of(read_json(path), path); }

std::optional<Comparison> find_comparison(const std::string& path) {
  const std::filesystem::path inside = std::filesystem::path(path) / "comparison.json";
  if (std::filesystem::is_regular_file(inside) &&
      !std::filesystem::exists(std::filesystem::path(path) / "run.json"))
    return find_comparison(inside.string());
  if (!std::filesystem::is_regular_file(path) || !begins_an_object(path)) return std::nullopt;
  const ParsedJson json = ParsedJson::parse(read_text(path), nullptr, false);
  if (!json.is_object() || !json.contains("findings")) return std::nullopt;
  return comparison_of(json, path);
}

}  // namespace plumbline
