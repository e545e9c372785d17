#include "workflow/results/run_variance.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/run/run_identity.h"
#include "suite/select.h"
#include "workflow/results/input_runs.h"

namespace plumbline {
namespace {

/// Rows of the requested metrics and cases. Throws Error if there are none.
std::vector<CaseVariance> selected(std::vector<CaseVariance> table,
                                   const VarianceRequest& request) {
  std::set<std::string> metrics;
  std::vector<Case> cases;
  for (const CaseVariance& row : table) {
    metrics.insert(row.metric);
    cases.emplace_back().id = row.case_id;
  }
  if (table.empty()) throw Error("found no case with samples in the runs, expected at least one");
  for (const std::string& metric : request.metrics)
    if (!metrics.contains(metric)) {
      std::string names;
      for (const std::string& name : metrics) names += (names.empty() ? "" : ", ") + name;
      throw Error("--metrics " + metric + ": the runs have no such metric; they have: " + names);
    }
  std::set<std::string> ids;
  for (const Case& one :
       select(std::move(cases), {.filters = request.filters, .tags = {}, .cases = {}}))
    ids.insert(one.id);
  std::erase_if(table, [&](const CaseVariance& row) {
    const bool is_asked = request.metrics.empty() ||
                          std::ranges::find(request.metrics, row.metric) != request.metrics.end();
    return !is_asked || !ids.contains(row.case_id);
  });
  if (table.empty()) throw Error("no case × metric of the runs fits --filter and --metrics");
  return table;
}

/// Notes which parts of the scatter the table cannot show.
void note_devices(const std::vector<CaseVariance>& table, Talk& talk) {
  std::size_t most = 0;
  for (const CaseVariance& row : table) most = std::max(most, row.devices);
  if (most == 0)
    talk.note("a run does not record its device: differences between devices are unknown");
  else if (most == 1)
    talk.note(
        "all runs are of one device: differences between devices of its class are unknown and not "
        "in 'run'");
  else if (std::ranges::any_of(table, &CaseVariance::run_holds_devices))
    talk.note(
        "each device has one run, so 'run' contains differences between devices; a second run of "
        "one device separates them");
}

bool are_copies(const Run& one, const Run& other) {
  return identity_of(one.info) == identity_of(other.info) &&
         std::ranges::equal(one.rows, other.rows, {}, &ResultRow::samples, &ResultRow::samples);
}

/// A run compared with itself has no scatter and would hide that of the others.
void refuse_copies(const std::vector<Run>& runs) {
  for (std::size_t i = 1; i < runs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (are_copies(runs[j], runs[i]))
        throw Error(runs[i].path + ": found the run of " + runs[j].path +
                    " again, expected different runs; name it once");
}

}  // namespace

RunVariances variance_of_runs(const VarianceRequest& request, Talk& talk) {
  RunVariances found{read_runs(request.runs, talk), {}, std::nullopt};
  refuse_copies(found.runs);
  found.table = selected(variance_table(found.runs), request);
  note_devices(found.table, talk);
  if (request.pairs) found.agreement = agreement(found.table, found.runs.size());
  return found;
}

}  // namespace plumbline
