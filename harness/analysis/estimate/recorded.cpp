#include "analysis/estimate/recorded.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/compare/environment_changes.h"

namespace plumbline {
namespace {

constexpr double kClockStands = 0.01;  // a smaller clock change explains nothing
constexpr double kClockMisfit = 1.0 / 3;
/// Inputs are drawn anew in each round, and the error of the same code varies with them.
constexpr double kErrorStands = 0.2;
/// Counters of the same launch differ by less: relative, and by share of something.
constexpr double kCounted = 0.03, kShare = 0.02;

constexpr std::array<AspectInfo, kAspects> kInfos{{
    {"kernels", "kernels", "", 0, false},
    {"grid", "grid", "", 0, true},
    {"block", "block", "", 0, true},
    {"registers", "registers of a thread", "", 0, true},
    {"local_memory", "local memory of a thread", "", 0, true},
    {"shared_memory", "shared memory of a block", "", 0, true},
    {"machine_code", "machine code", "", 0, true},
    {"plan", "execution plan", "", 0, false},
    {"workspace", "workspace", "B", 0, false},
    {"peak_memory", "peak memory", "B", 0.001, false},
    {"result_error", "error of the result", "1", kErrorStands, false},
    {"clock", "SM clock", "Hz", kClockStands, false},
    {"throttle", "throttle reasons", "", 0, false},
    {"power", "power", "W", 0.05, false},
    {"revision", "revision of the problem", "", 0, false},
    {"code", "code of the suite", "", 0, false},
    {"dram_bytes", "DRAM bytes", "B", kCounted, false, 1e5},
    {"l2_bytes", "L2 bytes", "B", kCounted, false, 1e5},
    {"l2_hit_rate", "L2 hit rate", "1", kCounted, false, kShare},
    {"l1_hit_rate", "L1 hit rate", "1", kCounted, false, kShare},
    {"sectors_per_load", "sectors of a load", "1", kCounted},
    {"sectors_per_store", "sectors of a store", "1", kCounted},
    {"shared_conflicts", "bank conflicts in shared memory", "1", kCounted, false, 1e4},
    {"instructions", "instructions", "1", kCounted},
    {"issue_active", "issue activity", "1", kCounted, false, kShare},
    {"tensor_active", "tensor pipe activity", "1", kCounted, false, kShare},
    {"achieved_occupancy", "achieved occupancy", "1", kCounted, false, kShare},
    {"main_stall", "main stall reason", "", 0, false},
}};
static_assert(static_cast<std::size_t>(Aspect::main_stall) + 1 == kAspects);

const std::optional<RecordedValue>& of(const CaseRecord& record, Aspect aspect) {
  return record[static_cast<std::size_t>(aspect)];
}

bool differ(const RecordedValue& a, const RecordedValue& b, const AspectInfo& info) {
  if (info.unit.empty()) return a.text != b.text;
  return std::abs(a.number - b.number) >
         std::max(info.least, info.tolerance * std::max(std::abs(a.number), std::abs(b.number)));
}

std::string missing_text(bool baseline, bool candidate) {
  return baseline && candidate ? "both" : baseline ? "baseline" : "candidate";
}

/// Collects one aspect over cases.
class FactOf {
 public:
  FactOf(Aspect aspect) : aspect_(aspect), info_(info_of(aspect)) {}

  void add(const CaseEvidence& evidence) {
    const auto& before = of(evidence.baseline, aspect_);
    const auto& after = of(evidence.candidate, aspect_);
    if (info_.is_launch && !same_kernels(evidence)) return;
    recorded_ += before || after;
    is_on_cpu_ = is_on_cpu_ || evidence.candidate_info->environment.device_kind == "cpu";
    if (!before || !after) {
      ++fact_.unknown;
      baseline_lacks_ = baseline_lacks_ || !before;
      candidate_lacks_ = candidate_lacks_ || !after;
      return;
    }
    const bool is_changed = differ(*before, *after, info_);
    ++(is_changed ? fact_.changed : fact_.same);
    if (info_.unit.empty()) {
      ++(is_changed ? changes_ : values_)[{before->text, after->text}];
    } else {
      (is_changed ? changed_numbers_ : numbers_).emplace_back(before->number, after->number);
    }
  }

  /// True if there is something to report.
  bool is_worth() const {
    const bool is_missed = aspect_ == Aspect::kernels || aspect_ == Aspect::clock;
    return recorded_ > 0 || (fact_.unknown > 0 && is_missed && !is_on_cpu_);
  }

  RecordedFact fact() {
    fact_.name = info_.name;
    fact_.label = info_.label;
    fact_.unit = info_.unit;
    if (fact_.unknown > 0) fact_.missing = missing_text(baseline_lacks_, candidate_lacks_);
    const auto& told = changes_.empty() ? values_ : changes_;
    const auto commonest =
        std::ranges::max_element(told, {}, [](const auto& entry) { return entry.second; });
    if (commonest != told.end()) std::tie(fact_.before, fact_.after) = commonest->first;
    fact_.variants = changes_.size();
    if (std::vector<Numbers>& cases = changed_numbers_.empty() ? numbers_ : changed_numbers_;
        !cases.empty())
      std::tie(fact_.before_value, fact_.after_value) = middle_of(cases);
    return std::move(fact_);
  }

 private:
  using Numbers = std::pair<double, double>;  // before and after, of a case

  /// Those of the case whose ratio is in the middle: cases of one cause may differ by orders of
  /// magnitude, and a mean or median of each side would be the number of no case.
  static Numbers middle_of(std::vector<Numbers>& cases) {
    const auto middle = cases.begin() + std::ptrdiff_t(cases.size() / 2);
    std::ranges::nth_element(cases, middle, {}, [](const Numbers& of_case) {
      const auto [before, after] = of_case;
      return before == after ? 1 : after / before;
    });
    return *middle;
  }

  static bool same_kernels(const CaseEvidence& evidence) {
    const auto& before = of(evidence.baseline, Aspect::kernels);
    const auto& after = of(evidence.candidate, Aspect::kernels);
    return before && after && before->text == after->text;
  }

  Aspect aspect_;
  const AspectInfo& info_;
  RecordedFact fact_;
  std::size_t recorded_ = 0;
  bool baseline_lacks_ = false, candidate_lacks_ = false, is_on_cpu_ = false;
  std::map<std::pair<std::string, std::string>, std::size_t> changes_, values_;
  std::vector<Numbers> numbers_, changed_numbers_;
};

bool is_one_of(std::span<const std::string> backends, std::string_view name) {
  return std::ranges::find(backends, name) != backends.end();
}

/// False for entries of the environment that cannot affect the backend's times, or that say where a
/// run was made: they explain nothing.
bool matters(const EnvironmentField& field, std::span<const std::string> backends) {
  if (field.kind == EnvironmentKind::note || field.kind == EnvironmentKind::harness) return false;
  const bool is_cudnn = field.name == "cudnn", is_torch = field.name == "libtorch" ||
                                                          field.name == "cublas" ||
                                                          field.name == "allocator";
  if (field.name == "nccl") return is_one_of(backends, "nccl");
  if (is_cudnn) return is_one_of(backends, "cudnn") || is_one_of(backends, "libtorch");
  return !is_torch || is_one_of(backends, "libtorch");
}

/// Entries that every GPU run should record: a missing one is worth reporting.
bool is_expected(std::string_view name, bool is_gpu) {
  if (name == "worker_hash" || name == "libtorch") return true;
  return is_gpu && (name == "driver" || name == "cuda_runtime" || name == "cudnn");
}

}  // namespace

const AspectInfo& info_of(Aspect aspect) { return kInfos[static_cast<std::size_t>(aspect)]; }

std::vector<RecordedFact> recorded_facts(std::span<const CaseEvidence* const> cases) {
  std::vector<RecordedFact> facts;
  for (std::size_t i = 0; i < kAspects; ++i) {
    FactOf gathered(static_cast<Aspect>(i));
    for (const CaseEvidence* evidence : cases) gathered.add(*evidence);
    if (gathered.is_worth()) facts.push_back(gathered.fact());
  }
  return facts;
}

std::vector<RecordedFact> run_facts(const RunInfo& baseline, const RunInfo& candidate,
                                    std::span<const std::string> backends, std::size_t cases) {
  const bool is_gpu = candidate.environment.device_kind == "cuda";
  std::vector<RecordedFact> facts;
  const auto add = [&](const EnvironmentChange& change, bool is_known) {
    RecordedFact& fact = facts.emplace_back();
    fact.name = change.name;
    fact.label = change.label;
    fact.is_of_run = true;
    (is_known ? fact.changed : fact.unknown) = cases;
    fact.variants = is_known;
    fact.before = change.baseline;
    fact.after = change.candidate;
    if (!is_known) fact.missing = missing_text(change.baseline.empty(), change.candidate.empty());
  };
  for (const EnvironmentField& field : environment_fields()) {
    if (!matters(field, backends)) continue;
    const EnvironmentChange change{std::string(field.name), std::string(field.label), "",
                                   field.text(baseline.environment),
                                   field.text(candidate.environment)};
    const bool is_known = !change.baseline.empty() && !change.candidate.empty();
    if (is_known ? change.baseline != change.candidate
                 : change.baseline != change.candidate || is_expected(field.name, is_gpu))
      add(change, is_known);
  }
  for (const EnvironmentChange& change : environment_changes(baseline, candidate))
    if (change.name.starts_with("source.") || change.name.starts_with("policy.") ||
        change.name.starts_with("suite."))
      add(change, true);
  return facts;
}

bool clock_explains(const CaseEvidence& evidence, double time_change) {
  const auto& before = of(evidence.baseline, Aspect::clock);
  const auto& after = of(evidence.candidate, Aspect::clock);
  if (!before || !after || !(before->number > 0) || !(after->number > 0)) return false;
  const double clock = std::log(after->number / before->number);
  const double time = std::log1p(time_change);
  if (std::abs(clock) < kClockStands) return false;
  return std::abs(time + clock) <= kClockMisfit * std::max(std::abs(time), std::abs(clock));
}

}  // namespace plumbline
