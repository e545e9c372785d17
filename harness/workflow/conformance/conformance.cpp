#include "workflow/conformance/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/run/metric.h"
#include "core/value.h"
#include "core/words.h"
#include "protocol/schema.h"
#include "schedule/rows.h"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

/// What was found, and what was expected if the check failed.
struct Outcome {
  std::string found, expected = "";
};

struct Check {
  std::string_view what, place;
  Outcome (*look)(const Evidence& evidence);
};

/// `mistake`: "place: found x, expected y", or "". `fine`: what to report without a mistake.
Outcome outcome_of(const std::string& mistake, const std::string& fine) {
  if (mistake.empty()) return {fine};
  const std::string_view mark = ", expected ";
  const std::size_t split = mistake.find(mark);
  return {mistake.substr(0, split), mistake.substr(split + mark.size())};
}

std::string schema_mistake_of(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded()) return "'" + line.substr(0, 60) + "', expected a line of JSON";
  return schema_mistake(json, "message");
}

Outcome printed_outcome(const Printed& printed, const char* definition, const char* noun) {
  if (!printed.failure.empty())
    return {printed.failure, "JSON on standard output, and exit code 0"};
  return outcome_of(schema_mistake(printed.json, definition), counted(printed.json.size(), noun));
}

Outcome lists_devices(const Evidence& e) { return printed_outcome(e.devices, "devices", "device"); }

Outcome lists_operators(const Evidence& e) {
  return printed_outcome(e.schemas, "schemas", "operator");
}

Outcome says_hello(const Evidence& e) {
  if (!e.start_failure.empty()) return {e.start_failure, "a hello"};
  return {fmt::format("after {:.1f} s", e.start_s)};
}

Outcome hello_fits(const Evidence& e) {
  if (!e.start_failure.empty()) return {"no hello", "one"};
  const Json json = Json::parse(e.hello_line, nullptr, false);
  if (!json.is_object() || !json.contains("hello"))
    return {"'" + e.hello_line.substr(0, 60) + "'", "{\"hello\": …} as the first line"};
  return outcome_of(schema_mistake(json, "message"),
                    "protocol " + std::to_string(kProtocolVersion));
}

/// Nothing if the hello does not match the schema.
std::optional<Hello> hello_of(const Evidence& e) {
  if (!hello_fits(e).expected.empty()) return std::nullopt;
  return parse_worker_message(e.hello_line).hello;
}

Outcome serves_timing(const Evidence& e) {
  const auto hello = hello_of(e);
  if (!hello) return {"no hello that can be read", "one"};
  std::string all;
  for (const std::string& profile : hello->profiles) all += (all.empty() ? "" : ", ") + profile;
  if (std::ranges::count(hello->profiles, "timing") > 0) return {all};
  return {"hello.profiles: " + (all.empty() ? "none" : all), "timing among them"};
}

Outcome stands_on_its_device(const Evidence& e) {
  const auto hello = hello_of(e);
  if (!hello || !lists_devices(e).expected.empty())
    return {"no list of devices and hello that can be read", "both"};
  const std::string uuid = hello->environment.device_uuid();
  for (const DeviceEntry& entry : parse_devices(e.devices.json.dump()))
    if (entry.device == e.device) {
      const std::string listed = entry.environment.device_uuid();
      if (listed == uuid) return {e.device + ", " + uuid};
      return {"hello.environment.device_uuid: '" + uuid + "'",
              "'" + listed + "', as --devices says of " + e.device};
    }
  return {"--devices does not list " + e.device, "it to be there"};
}

std::string_view status_of(const VisitRecord& visit) { return name_of(visit.answer->status); }

/// Why the visit of that number has no answer to check.
Outcome missing(const Evidence& e, std::size_t number) {
  if (e.visits.size() > number && !e.visits[number].failure.empty())
    return {e.visits[number].failure, "an answer"};
  return {"this request was not reached: " +
              (e.visits.empty() ? "there was no hello" : e.visits.back().failure),
          "an answer"};
}

bool has_answer(const Evidence& e, std::size_t number) {
  return e.visits.size() > number && e.visits[number].answer;
}

/// Checks that an answer has samples and does not contradict itself.
Outcome measured(const Evidence& e, std::size_t number) {
  if (!has_answer(e, number)) return missing(e, number);
  const VisitRecord& visit = e.visits[number];
  if (!has_samples(visit.answer->status))
    return {fmt::format("{}: {}", status_of(visit), visit.answer->reason),
            "OK or UNVERIFIED for " + visit.request.subject.id +
                "; --suite names a suite whose first case it has"};
  if (const std::string wrong = contradiction(*visit.answer); !wrong.empty())
    return {wrong, "samples of each metric, and of no absent one"};
  return {fmt::format("{} in {:.1f} s, {}", visit.request.subject.id, visit.elapsed_s,
                      status_of(visit))};
}

Outcome answers_a_visit(const Evidence& e) { return measured(e, kPlain); }

Outcome answer_fits(const Evidence& e) {
  if (e.visits.empty() || e.visits[kPlain].lines.empty()) return missing(e, kPlain);
  return outcome_of(schema_mistake_of(e.visits[kPlain].lines.back()), "all fields");
}

Outcome was_compared(const Evidence& e) {
  if (Outcome outcome = measured(e, kPlain); !outcome.expected.empty()) return outcome;
  const MeasureAnswer& answer = *e.visits[kPlain].answer;
  if (answer.status == Status::unverified) {
    if (!answer.reason.empty()) return {"UNVERIFIED: " + answer.reason};
    return {"UNVERIFIED without a reason", "why there is no reference, in words"};
  }
  const std::string found = "error_rel_l2 " + shortest_text(answer.error_rel_l2) + ", tolerance " +
                            shortest_text(answer.tolerance);
  if (answer.error_rel_l2 <= answer.tolerance) return {found};  // false if either is unknown
  return {"OK with " + found, "both known and an error within the tolerance, or UNVERIFIED"};
}

Outcome has_blocks_as_asked(const Evidence& e) {
  if (Outcome outcome = measured(e, kPlain); !outcome.expected.empty()) return outcome;
  const VisitRecord& visit = e.visits[kPlain];
  const Policy& policy = visit.request.policy;
  for (const MeasuredMetric& metric : visit.answer->metrics) {
    const auto blocks = std::int64_t(metric.samples.blocks());
    if (blocks < policy.blocks_min || blocks > policy.blocks_max)
      return {
          counted(metric.samples.blocks(), "block") + " of " + metric.metric,
          fmt::format("{} to {} (blocks_min, blocks_max)", policy.blocks_min, policy.blocks_max)};
    for (std::size_t i = 0; i < metric.samples.blocks(); ++i)
      if (const auto size = std::int64_t(metric.samples.block(i).size());
          size < 1 || size > policy.samples)
        return {fmt::format("{} of {} in block {}",
                            counted(metric.samples.block(i).size(), "sample"), metric.metric, i),
                fmt::format("1 to {} (samples)", policy.samples)};
    for (const auto& [key, size] : {std::pair{"block_times_s", metric.block_times_s.size()},
                                    {"block_clocks_hz", metric.block_clocks_hz.size()},
                                    {"block_placements", metric.block_placements.size()},
                                    {"block_causes", metric.block_causes.size()}})
      if (size != 0 && std::int64_t(size) != blocks)
        return {fmt::format("{} of {} for {} blocks", counted(size, "value"), key, blocks),
                "one for each block, or none"};
  }
  return {counted(visit.answer->metrics.front().samples.blocks(), "block")};
}

Outcome times_are_possible(const Evidence& e) {
  if (Outcome outcome = measured(e, kPlain); !outcome.expected.empty()) return outcome;
  const VisitRecord& visit = e.visits[kPlain];
  for (const MeasuredMetric& measured : visit.answer->metrics) {
    const Metric* const known = find_metric(measured.metric);
    if (known == nullptr) return {"metric '" + measured.metric + "'", "one of the page's table"};
    if (measured.unit != known->unit)
      return {measured.metric + " in '" + measured.unit + "'",
              "'" + std::string(known->unit) + "'"};
    double sum = 0;
    for (const double sample : measured.samples.values()) {
      if (!std::isfinite(sample) || sample <= 0)
        return {"a sample of " + shortest_text(sample) + " " + measured.unit, "more than 0"};
      sum += sample * double(measured.batch);
    }
    if (measured.unit == "s" && sum > visit.elapsed_s)
      return {fmt::format("samples of {} that add up to {} s", measured.metric, shortest_text(sum)),
              fmt::format("less than the {:.2g} s that the visit took: is the unit seconds?",
                          visit.elapsed_s)};
  }
  const MeasuredMetric& first = visit.answer->metrics.front();
  return {fmt::format("{} from {:.3g} {} on", first.metric,
                      std::ranges::min(first.samples.values()), first.unit)};
}

Outcome answers_in_order(const Evidence& e) {
  for (std::size_t number = 0; number < kVisits; ++number)
    if (!has_answer(e, number)) return missing(e, number);
  if (Outcome outcome = measured(e, kAgain); !outcome.expected.empty()) return outcome;
  return {counted(kVisits, "answer")};
}

Outcome knows_what_it_lacks(const Evidence& e) {
  if (!has_answer(e, kUnknownOp)) return missing(e, kUnknownOp);
  const VisitRecord& visit = e.visits[kUnknownOp];
  const std::string& op = visit.request.subject.op;
  if (visit.answer->status != Status::unsupported)
    return {fmt::format("{} for op '{}'", status_of(visit), op), "UNSUPPORTED"};
  if (visit.answer->reason.empty())
    return {"UNSUPPORTED without a reason", "why, in words, as in \"there is no op " + op + "\""};
  return {"UNSUPPORTED: " + visit.answer->reason};
}

Outcome passes_over_newer_keys(const Evidence& e) {
  if (Outcome outcome = measured(e, kNewerKeys); !outcome.expected.empty())
    return {outcome.found, "what it answered without the key `later`"};
  return {"the same case, OK"};
}

Outcome writes_only_messages(const Evidence& e) {
  std::size_t count = 1;
  if (e.visits.empty()) return missing(e, kPlain);
  for (const VisitRecord& visit : e.visits)
    for (const std::string& line : visit.lines) {
      if (const std::string wrong = schema_mistake_of(line); !wrong.empty())
        return outcome_of(wrong, "");
      ++count;
    }
  for (const std::string& line : e.finished.lines) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("goodbye"))
      return {"'" + line.substr(0, 60) + "' after its last answer", "a goodbye, and nothing else"};
    ++count;
  }
  return {counted(count, "line")};
}

/// What is wrong with how the worker ended, or "".
std::string bad_end(const Ending& ending, int exit_code) {
  if (!ending.failure.empty()) return ending.failure;
  if (ending.exit_code == exit_code) return "";
  return ending.words + (ending.printed.empty() ? "" : "; it printed: " + ending.printed);
}

Outcome refuses_nonsense(const Evidence& e) {
  const char* const kExpected =
      "exit code 2 and why on standard error, or an answer without samples and with a reason";
  const Ending& ending = e.after_nonsense;
  if (ending.failure.empty() && ending.exit_code == 2) {
    if (!ending.printed.empty()) return {"exit code 2: " + ending.printed};
    return {"exit code 2 without words", kExpected};
  }
  if (const std::string wrong = bad_end(ending, 0); !wrong.empty()) return {wrong, kExpected};
  for (const std::string& line : ending.lines) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("answer")) continue;
    if (!schema_mistake(json, "message").empty()) continue;
    const auto answer = parse_worker_message(line).answer;
    if (!has_samples(answer->status) && !answer->reason.empty())
      return {fmt::format("{}: {}", name_of(answer->status), answer->reason)};
  }
  return {"nothing", kExpected};
}

Outcome says_goodbye(const Evidence& e) {
  if (const std::string wrong = bad_end(e.finished, 0); !wrong.empty())
    return {wrong, "a goodbye and exit code 0"};
  for (const std::string& line : e.finished.lines)
    if (const Json json = Json::parse(line, nullptr, false);
        json.is_object() && json.contains("goodbye"))
      return outcome_of(schema_mistake(json, "message"), "a goodbye, exit code 0");
  return {"exit code 0 without a goodbye", "{\"goodbye\": {}} first"};
}

Outcome ends_with_its_requests(const Evidence& e) {
  if (const std::string wrong = bad_end(e.at_end_of_requests, 0); !wrong.empty())
    return {wrong, "exit code 0"};
  return {"exit code 0"};
}

constexpr Check kChecks[] = {
    {"--devices lists devices", "command-line", lists_devices},
    {"--schemas lists operators", "command-line", lists_operators},
    {"says hello in time", "hello", says_hello},
    {"the hello fits the schema", "hello", hello_fits},
    {"serves profile timing", "hello", serves_timing},
    {"uses the device that it was given", "hello", stands_on_its_device},
    {"answers a visit with samples", "answer", answers_a_visit},
    {"the answer fits the schema", "answer", answer_fits},
    {"the result was compared", "answer", was_compared},
    {"samples lie in blocks as asked", "samples", has_blocks_as_asked},
    {"times are possible, and in their unit", "samples", times_are_possible},
    {"answers several requests in order", "channel", answers_in_order},
    {"an unknown op is UNSUPPORTED, in words", "answer", knows_what_it_lacks},
    {"passes over keys that it does not know", "version", passes_over_newer_keys},
    {"writes nothing but messages", "channel", writes_only_messages},
    {"refuses a malformed request in words", "ends", refuses_nonsense},
    {"says goodbye when it is to finish", "goodbye", says_goodbye},
    {"ends when its requests end", "ends", ends_with_its_requests},
};

}  // namespace

std::vector<ConformanceResult> check_conformance(const ConformanceRequest& request) {
  const Evidence evidence = gather_evidence(request);
  std::vector<ConformanceResult> results;
  for (const Check& check : kChecks) {
    Outcome outcome = check.look(evidence);
    results.push_back(
        {check.what, check.place, std::move(outcome.found), std::move(outcome.expected)});
  }
  return results;
}

}  // namespace plumbline
