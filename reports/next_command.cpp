#include "reports/next_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/words.h"

namespace plumbline {
namespace {

/// Adds the options that chose this run's cases, its device and how it was measured. Not the rounds
/// and the seed, which another command chooses for itself.
void add_options(const Asked& asked, std::vector<std::string>& words) {
  const std::pair<const char*, const std::vector<std::string>*> lists[] = {
      {"--set", &asked.set},
      {"--filter", &asked.filters},
      {"--tag", &asked.tags},
      {"--case", &asked.cases}};
  for (const auto& [flag, values] : lists)
    for (const std::string& value : *values) words.insert(words.end(), {flag, value});
  for (const auto& [key, value] : asked.policy) {
    if (key == "rounds" || key == "seed") continue;
    std::string flag = "--" + key;
    std::ranges::replace(flag, '_', '-');
    words.insert(words.end(), {std::move(flag), value});
  }
  if (!asked.device.empty() && asked.device != "auto")
    words.insert(words.end(), {"--device", asked.device});
}

/// Suites and options as used on a command line; "" if the suites are unknown.
std::string suites_of(const Comparison& comparison) {
  std::vector<std::string> words;
  for (const SuiteRef& suite : comparison.candidate.suites)
    if (!suite.path.empty() || !suite.name.empty())
      words.push_back(suite.path.empty() ? suite.name : suite.path);
  if (words.empty()) return "";
  if (const auto& asked = comparison.candidate.asked) add_options(*asked, words);
  return shell_command(words);
}

/// True if the baseline is a folder of accepted runs, not a single file or run.
bool has_baselines_folder(const Comparison& comparison) {
  return comparison.baseline.acceptance && !comparison.baseline_path.ends_with(".csv");
}

/// True if pairs of the cases in doubt would not help: there are none, or they are measured.
bool needs_pairs_of_all(const Comparison& comparison) {
  return std::ranges::any_of(comparison.findings, [](const Finding& f) { return f.pairs > 0; }) ||
         (comparison.count(Verdict::looks_slower) == 0 && !comparison.has_shifted());
}

}  // namespace

bool is_same_run(const Comparison& comparison) {
  return comparison.baseline_path == comparison.candidate_path;
}

std::string accept_command(const Comparison& comparison) {
  const bool is_for_acceptance = !comparison.candidate_path.empty() && !comparison.is_ab;
  if (!is_for_acceptance || !comparison.refusal.empty() || is_same_run(comparison)) return "";
  std::vector<std::string> words{"plumbline", "accept", comparison.candidate_path};
  if (has_baselines_folder(comparison))
    words.insert(words.end(), {"--baselines", comparison.baseline_path});
  return shell_command(words);
}

std::string pairs_command(const Comparison& comparison) {
  const std::string& commit = comparison.baseline.environment.commit;
  const std::string suites = suites_of(comparison);
  if (commit.empty() || suites.empty()) return "";
  if (needs_pairs_of_all(comparison))
    return fmt::format("plumbline ab {} . {}", commit.substr(0, 10), suites);
  return fmt::format("plumbline check {} --baseline-ref {}", suites, commit.substr(0, 10));
}

std::string difference_command(const Comparison& comparison) {
  constexpr std::size_t kShort = 12;
  const Environment &from = comparison.baseline.environment, &to = comparison.candidate.environment;
  const std::string first = from.commit.substr(0, kShort), last = to.commit.substr(0, kShort);
  if (first.empty() || last.empty() || from.dirty.value_or(false)) return "";
  if (to.dirty.value_or(false)) return shell_command({"git", "diff", "--stat", first});
  return first == last ? "" : shell_command({"git", "log", "--oneline", first + ".." + last});
}

std::string rerun_command(const Comparison& comparison) {
  const std::string suites = suites_of(comparison);
  if (suites.empty() || comparison.baseline_path.empty()) return "";
  const char* flag = has_baselines_folder(comparison) ? "--baselines" : "--baseline";
  return fmt::format("plumbline check {} --rerun {}", suites,
                     shell_command({flag, comparison.baseline_path}));
}

}  // namespace plumbline
