#include "store/recorded/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <unordered_map>

#include "analysis/causes/causes.h"
#include "analysis/estimate/estimate.h"
#include "core/run/metric.h"
#include "core/value.h"
#include "stats/descriptive.h"
#include "store/recorded/kernels.h"
#include "store/recorded/plans.h"

namespace plumbline {
namespace {

constexpr std::size_t kShownHash = 12;  // digits: enough to tell kernels apart

void put(CaseRecord& record, Aspect aspect, std::string text) {
  record[static_cast<std::size_t>(aspect)] = RecordedValue{std::move(text), kUnknown};
}

void put(CaseRecord& record, Aspect aspect, double number) {
  if (std::isfinite(number)) record[static_cast<std::size_t>(aspect)] = RecordedValue{"", number};
}

/// The grid or block of a launch as text; "" if it is not recorded.
std::string extent_text(const std::array<std::int64_t, 3>& extent) {
  return extent[0] == 0 ? "" : fmt::format("{}×{}×{}", extent[0], extent[1], extent[2]);
}

std::string shared_text(const KernelRecord& kernel) {
  if (std::isnan(kernel.shared_static) || std::isnan(kernel.shared_dynamic)) return "";
  return fmt::format("{} + {} B", shortest_text(kernel.shared_static),
                     shortest_text(kernel.shared_dynamic));
}

/// Adds the aspect if it is recorded for every kernel.
template <typename TextOf>
void put_of_kernels(CaseRecord& record, Aspect aspect, const std::vector<KernelRecord>& kernels,
                    TextOf text_of) {
  std::string all;
  for (const KernelRecord& kernel : kernels) {
    const bool is_copy = kernel.bytes > 0;
    const std::string text = is_copy ? "" : text_of(kernel);
    if (is_copy) continue;
    if (text.empty()) return;
    all += (all.empty() ? "" : ", ") + text;
  }
  if (!all.empty()) put(record, aspect, std::move(all));
}

void add_kernels(CaseRecord& record, const std::vector<KernelRecord>& kernels) {
  if (kernels.empty()) return;
  std::string names;
  for (const KernelRecord& kernel : kernels) {
    names += (names.empty() ? "" : ", ") + kernel.name;
    if (kernel.calls > 1) names += fmt::format(" × {}", shortest_text(kernel.calls));
  }
  put(record, Aspect::kernels, std::move(names));
  put_of_kernels(record, Aspect::grid, kernels,
                 [](const KernelRecord& k) { return extent_text(k.grid); });
  put_of_kernels(record, Aspect::block, kernels,
                 [](const KernelRecord& k) { return extent_text(k.block); });
  put_of_kernels(record, Aspect::registers, kernels, [](const KernelRecord& k) {
    return std::isnan(k.registers) ? "" : shortest_text(k.registers);
  });
  put_of_kernels(record, Aspect::local_memory, kernels, [](const KernelRecord& k) {
    return std::isnan(k.local_bytes) ? "" : shortest_text(k.local_bytes) + " B";
  });
  put_of_kernels(record, Aspect::shared_memory, kernels, shared_text);
  put_of_kernels(record, Aspect::machine_code, kernels,
                 [](const KernelRecord& k) { return k.code.substr(0, kShownHash); });
}

void add_plans(CaseRecord& record, std::string_view text) {
  const std::vector<PlanRecord> plans = plans_of(text);
  if (plans.empty()) return;
  std::string names;
  double workspace = 0;
  for (const PlanRecord& plan : plans) {
    names += (names.empty() ? "" : ", ") + (plan.graph.empty() ? "" : plan.graph + " ") + plan.plan;
    workspace += plan.workspace;
  }
  put(record, Aspect::plan, std::move(names));
  put(record, Aspect::workspace, workspace);
}

std::string_view last_of(std::span<const ResultRow* const> rows, std::string ResultRow::*member) {
  std::string_view last;
  for (const ResultRow* row : rows)
    if (!(row->*member).empty()) last = row->*member;
  return last;
}

void add_conditions(CaseRecord& record, std::span<const ResultRow* const> rows,
                    std::string_view metric) {
  std::vector<double> clocks, powers;
  bool is_watched = false;
  std::string throttle;
  for (const ResultRow* row : rows) {
    if (row->metric != metric) continue;
    for (std::size_t i = 0; i < row->block_clocks_hz.size(); ++i)
      if (std::isfinite(row->block_clocks_hz[i]) && counts(*row, i))
        clocks.push_back(row->block_clocks_hz[i]);
    if (std::isfinite(row->power_w)) powers.push_back(row->power_w);
    is_watched = is_watched || std::isfinite(row->temperature_c) || !row->throttle.empty();
    if (!row->throttle.empty() && throttle.find(row->throttle) == throttle.npos)
      throttle += (throttle.empty() ? "" : ", ") + row->throttle;
  }
  if (!clocks.empty()) put(record, Aspect::clock, median(clocks));
  if (!powers.empty()) put(record, Aspect::power, median(powers));
  // Temperature and throttle reasons come from the same counters, so both are known or neither is.
  if (is_watched) put(record, Aspect::throttle, throttle.empty() ? "none" : throttle);
}

double median_of(std::span<const ResultRow* const> rows, std::string_view metric) {
  std::vector<double> values;
  for (const ResultRow* row : rows)
    if (row->metric == metric && !row->samples.empty())
      values.push_back(median(row->samples.values()));
  return values.empty() ? kUnknown : median(values);
}

/// What the warps of a launch waited for most, by the counters: "long scoreboard"; "" if it is not
/// known.
std::string main_stall_of(std::span<const ResultRow* const> rows) {
  std::string_view main;
  double most = 0;
  for (const ResultRow* row : rows) {
    if (!row->metric.starts_with(kStall) || row->metric == main) continue;
    const double share = median_of(rows, row->metric);
    if (share > most) most = share, main = row->metric;
  }
  std::string words(main.substr(main.empty() ? 0 : kStall.size()));
  std::ranges::replace(words, '_', ' ');
  return words;
}

bool has_counters(std::span<const ResultRow* const> rows) {
  return std::ranges::any_of(rows, [](const ResultRow* row) {
    if (row->unit == "s" || row->samples.empty()) return false;
    const Metric* const known = find_metric(row->metric);
    return known != nullptr && known->profile == Profile::counters;
  });
}

void add_counters(CaseRecord& record, std::span<const ResultRow* const> rows) {
  for (std::size_t i = 0; i < kAspects; ++i)
    if (const auto aspect = static_cast<Aspect>(i); is_counter(aspect))
      put(record, aspect, median_of(rows, info_of(aspect).name));
  if (std::string stall = main_stall_of(rows); !stall.empty())
    put(record, Aspect::main_stall, std::move(stall));
}

double median_if_known(const std::vector<double>& values) {
  const bool is_known =
      std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  return is_known ? median(values) : kUnknown;
}

/// The kernels and copies of a launch by name, with the median of their times over all rows that
/// have them.
std::vector<KernelTime> kernel_times(std::span<const ResultRow* const> rows) {
  std::map<std::string, std::pair<bool, std::vector<double>>> found;
  for (const ResultRow* const row : rows) {
    std::map<std::string, std::pair<bool, double>> of_row;
    for (const KernelRecord& kernel : kernels_of(row->kernels)) {
      auto& [is_copy, time_s] = of_row[kernel.name];
      is_copy = kernel.bytes > 0;
      time_s += kernel.time_s;
    }
    for (const auto& [name, known] : of_row) {
      found[name].first = known.first;
      found[name].second.push_back(known.second);
    }
  }
  std::vector<KernelTime> kernels;
  for (const auto& [name, known] : found)
    kernels.push_back({name, median_if_known(known.second), known.first});
  return kernels;
}

/// Those of the last row that has them, without times.
std::vector<KernelTime> kernel_names(std::span<const ResultRow* const> rows) {
  std::vector<KernelTime> kernels;
  for (const KernelRecord& kernel : kernels_of(last_of(rows, &ResultRow::kernels)))
    kernels.push_back({kernel.name, kUnknown, kernel.bytes > 0});
  return kernels;
}

/// The cases of a run by suite and id. The index is built for the first lookup, because most
/// comparisons have nothing to explain.
class Cases {
 public:
  explicit Cases(const Run& run) : run_(run) {}
  std::span<const ResultRow* const> find(const Finding& finding) {
    if (rows_.empty())
      for (const ResultRow& row : run_.rows)
        rows_[stable_name(row.suite, row.case_id)].push_back(&row);
    auto found = rows_.find(stable_name(finding.suite, finding.case_id));
    if (found == rows_.end() && !finding.renamed_from.empty())
      found = rows_.find(stable_name(finding.suite, finding.renamed_from));
    if (found == rows_.end()) return {};
    return found->second;
  }

 private:
  static std::string stable_name(const std::string& suite, const std::string& case_id) {
    return suite + '\n' + case_id;
  }
  const Run& run_;
  std::unordered_map<std::string, std::vector<const ResultRow*>> rows_;
};

struct IndexedPair {
  RunPair runs;
  Cases baseline, candidate;
};

/// Reads cases, once for each metric.
class Reader {
 public:
  explicit Reader(const std::vector<RunPair>& runs) {
    for (const RunPair& pair : runs)
      pairs_.push_back({pair, Cases(*pair.baseline), Cases(*pair.candidate)});
  }

  const CaseEvidence& read(const Finding& finding) {
    CaseEvidence& known = read_[finding.suite + '\n' + finding.case_id + '\n' + finding.metric];
    if (known.baseline_info != nullptr) return known;
    IndexedPair& from = choose(finding);
    known.baseline_info = &from.runs.baseline->info;
    known.candidate_info = &from.runs.candidate->info;
    const auto before = from.baseline.find(finding), after = from.candidate.find(finding);
    known.baseline = record_of(before, finding.metric);
    known.candidate = record_of(after, finding.metric);
    add_counters_of_both(finding, known);
    // Many findings are only asked for their kernels' names, and reading takes long.
    const bool is_told = is_of_time(finding.verdict);
    if (is_told) known.baseline_kernels = kernel_times(before);
    known.kernels = is_told ? kernel_times(after) : kernel_names(after);
    return known;
  }

 private:
  /// Counters are compared within one pair of runs. Pairs may have been measured without them.
  void add_counters_of_both(const Finding& finding, CaseEvidence& known) {
    for (IndexedPair& pair : pairs_) {
      const auto before = pair.baseline.find(finding), after = pair.candidate.find(finding);
      if (!has_counters(before) || !has_counters(after)) continue;
      add_counters(known.baseline, before);
      add_counters(known.candidate, after);
      return;
    }
  }

  IndexedPair& choose(const Finding& finding) {
    IndexedPair* chosen = nullptr;
    for (IndexedPair& pair : pairs_) {
      if (pair.runs.is_measured_in_pairs && finding.pairs == 0) continue;
      if (chosen == nullptr) chosen = &pair;
      if (!pair.baseline.find(finding).empty() && !pair.candidate.find(finding).empty())
        return pair;
    }
    return chosen == nullptr ? pairs_.front() : *chosen;
  }

  std::vector<IndexedPair> pairs_;
  std::unordered_map<std::string, CaseEvidence> read_;
};

}  // namespace

CaseRecord record_of(std::span<const ResultRow* const> rows, std::string_view metric) {
  CaseRecord record;
  if (rows.empty()) return record;
  add_kernels(record, kernels_of(last_of(rows, &ResultRow::kernels)));
  add_plans(record, last_of(rows, &ResultRow::plan));
  put(record, Aspect::peak_memory, median_of(rows, "peak_memory"));
  for (const ResultRow* row : rows) put(record, Aspect::result_error, row->error_rel_l2);
  add_conditions(record, rows, metric);
  if (!rows.front()->revision.empty()) put(record, Aspect::revision, rows.front()->revision);
  if (!rows.front()->code.empty()) put(record, Aspect::code, rows.front()->code);
  return record;
}

EvidenceOf evidence_from(const std::vector<RunPair>& runs) {
  return [reader = std::make_shared<Reader>(runs)](const Finding& finding) -> const CaseEvidence& {
    return reader->read(finding);
  };
}

void explain(Comparison& comparison, const Run& baseline, const Run& candidate,
             const Run* paired_baseline, const Run* paired_candidate) {
  std::vector<RunPair> runs;
  if (paired_baseline != nullptr && paired_candidate != nullptr)
    runs.push_back({paired_baseline, paired_candidate, true});
  runs.push_back({&baseline, &candidate, false});
  find_causes(comparison, evidence_from(runs));
}

}  // namespace plumbline
