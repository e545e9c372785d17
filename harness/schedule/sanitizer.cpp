#include "schedule/sanitizer.h"

#include <algorithm>
#include <map>
#include <utility>

#include "schedule/sanitizer_log.h"

namespace plumbline {
namespace {

/// Factor for timeouts: the tools slow kernels down by 10 to 100 times.
constexpr double kPatience = 10;

using Indices = std::vector<std::size_t>;

bool is_runnable(const Case& c) { return c.excluded.empty() && c.unsupported.empty(); }

/// Whether the worker cannot be used after this status.
bool ends_worker(Status status) {
  using enum Status;
  return status == crashed || status == timeout || status == out_of_memory;
}

/// The result of one worker: it ran the first `answers.size()` of its cases.
struct Outcome {
  std::vector<MeasureAnswer> answers;
  SanitizerReport report;
  bool is_cut = false;  // it stopped after its last case, because of the tool or of the case
};

/// Whether the case was launched: a worker refuses some cases before any launch.
bool was_launched(Status status) {
  return status != Status::unsupported && status != Status::excluded;
}

class Checker {
 public:
  Checker(std::span<const Case> cases, std::string_view tool, const SanitizedWorkerFactory& factory,
          const SanitizerEvents& events, Interrupt* interrupt)
      : cases_(cases), tool_(tool), factory_(factory), events_(events), interrupt_(interrupt) {}

  SanitizerResult run() {
    Indices runnable;
    for (std::size_t i = 0; i < cases_.size(); ++i)
      if (is_runnable(cases_[i])) runnable.push_back(i);
    settle(runnable);
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const Case& c = cases_[i];
      if (const auto found = settled_.find(i); found != settled_.end())
        result_.cases.push_back(std::move(found->second));
      else if (!is_runnable(c))
        result_.cases.push_back({c.suite,
                                 c.id,
                                 c.excluded.empty() ? Status::unsupported : Status::excluded,
                                 c.excluded.empty() ? c.unsupported : c.excluded,
                                 {}});
    }
    result_.launched = std::size_t(std::ranges::count_if(
        result_.cases, [](const CheckedCase& c) { return was_launched(c.status); }));
    return std::move(result_);
  }

 private:
  /// Finds the result of each of these cases.
  void settle(Indices left) {
    while (!left.empty() && !result_.interrupted) {
      const Outcome outcome = run_worker(left);
      if (result_.interrupted) return;
      const std::size_t count = outcome.answers.size();
      const Indices ran(left.begin(), left.begin() + std::ptrdiff_t(count));
      left.erase(left.begin(), left.begin() + std::ptrdiff_t(count));
      if (outcome.report.is_clean() || count == 1) {
        for (std::size_t i = 0; i < count; ++i) record(ran[i], outcome.answers[i], outcome.report);
        continue;
      }
      // Usually it was the last case; if nothing stopped the worker, it can be any.
      const auto middle = ran.begin() + std::ptrdiff_t(outcome.is_cut ? count - 1 : count / 2);
      settle({middle, ran.end()});
      settle({ran.begin(), middle});
    }
  }

  Outcome run_worker(const Indices& indices) {
    Outcome outcome;
    SanitizedWorker sanitized = factory_();
    if (!sanitized.worker) return result_.interrupted = true, outcome;
    const std::string start = sanitized.read_log();
    const SanitizerReport at_start = parse_sanitizer_log(start);
    if (!at_start.findings.empty())
      throw Error(
          in_words(tool_, at_start) +
          "; this is before the first case, while the worker starts: no case can be checked");
    if (!std::exchange(has_told_start_, true))
      for (const std::string& note : at_start.notes)
        events_.on_note(std::string(tool_) + ": " + note);
    Worker& worker = *sanitized.worker;
    for (const std::size_t i : indices) {
      if (interrupt_ && interrupt_->requested()) return result_.interrupted = true, outcome;
      const Case& c = cases_[i];
      events_.on_case(c);
      const auto answer =
          worker.measure({c, *c.policy, 0, c.policy->seed}, kPatience * c.policy->timeout_s);
      if (!answer) return result_.interrupted = true, outcome;
      outcome.answers.push_back(*answer);
      outcome.is_cut = ends_worker(answer->status) || !worker.usable() ||
                       sanitized.read_log().size() > start.size();
      if (outcome.is_cut) break;
    }
    if (worker.usable()) worker.finish();  // problems at its end are in the log
    outcome.report = parse_sanitizer_log(sanitized.read_log().substr(start.size()));
    return outcome;
  }

  void record(std::size_t index, const MeasureAnswer& answer, const SanitizerReport& report) {
    const Case& c = cases_[index];
    CheckedCase checked{c.suite, c.id, answer.status, answer.reason, report};
    const bool has_found = report.errors > 0 || !report.findings.empty();
    if (has_found) checked.status = Status::wrong;
    if (!report.is_clean() && !has_found && has_samples(answer.status))
      checked.status = Status::crashed;  // not checked to the end, so it is not clean
    if (has_found || checked.status != answer.status)
      checked.reason = in_words(tool_, report) +
                       (has_samples(answer.status) ? "" : "; the case itself: " + answer.reason);
    settled_.insert_or_assign(index, std::move(checked));
  }

  std::span<const Case> cases_;
  std::string_view tool_;
  const SanitizedWorkerFactory& factory_;
  const SanitizerEvents& events_;
  Interrupt* interrupt_;
  std::map<std::size_t, CheckedCase> settled_;
  bool has_told_start_ = false;
  SanitizerResult result_;
};

}  // namespace

SanitizerResult check_cases(std::span<const Case> cases, std::string_view tool,
                            const SanitizedWorkerFactory& factory, const SanitizerEvents& events,
                            Interrupt* interrupt) {
  return Checker(cases, tool, factory, events, interrupt).run();
}

}  // namespace plumbline
