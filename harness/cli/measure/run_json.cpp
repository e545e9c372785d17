#include "cli/measure/run_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/estimate/estimate.h"
#include "workflow/run/run_counts.h"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

Json number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json record_of(const CaseSummary& row) {
  return {{"suite", row.suite},
          {"case", row.case_id},
          {"status", name_of(row.status)},
          {"reason", row.reason},
          {"metric", row.metric},
          {"unit", row.unit},
          {"estimate", number(row.estimate)},
          {"low", number(row.low)},
          {"high", number(row.high)},
          {"visit_sd", number(row.visit_sd)},
          {"rounds", row.rounds},
          {"flags", row.flags}};
}

}  // namespace

std::string run_json(const RunOutcome& outcome) {
  const std::vector<CaseSummary>& rows = outcome.summaries;
  const RunCounts counts = count_cases(rows, {});
  Json cases = Json::object();
  for (const auto& [status, count] : counts.cases) cases[std::string(name_of(status))] = count;
  Json results = Json::array();
  for (const CaseSummary& row : rows) results.push_back(record_of(row));
  const Json record{{"directory", outcome.directory},
                    {"device_class", outcome.run.info.environment.device_class},
                    {"cases", std::move(cases)},
                    {"results", std::move(results)}};
  return record.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace plumbline
