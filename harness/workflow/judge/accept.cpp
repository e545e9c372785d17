#include "workflow/judge/accept.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "analysis/compare/compare.h"
#include "analysis/compare/ledger_effects.h"
#include "analysis/variance/other_device.h"
#include "analysis/variance/run_noise.h"
#include "core/error.h"
#include "core/moment.h"
#include "store/run/run_reader.h"
#include "workflow/judge/compare_runs.h"
#include "workflow/results/input_runs.h"
#include "workflow/setup/git.h"
#include "workflow/setup/project.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::string default_name(const std::string& folder) {
  if (const std::string name = git_identity(folder); !name.empty()) return name;
  const passwd* const user = getpwuid(getuid());
  return user ? user->pw_name : "";
}

/// The project that the run's baselines belong to. Never the run's own folder: runs get deleted.
Project project_of(const Run& run, const PlaceRequest& places) {
  const auto home = home_of(run);
  const bool is_said = !places.baselines.empty() || find_upwards(run.path, "plumbline.yaml");
  if (home || is_said) return find_project(home.value_or(run.path), places);
  std::string suites;
  for (const SuiteRef& suite : run.info.suites)
    suites += fmt::format("{}{} ({})", suites.empty() ? "" : ", ", suite.name, suite.path);
  throw Error(fmt::format(
      "{}: nothing says which project it belongs to: {}, and there is no plumbline.yaml above it; "
      "name the folder of accepted runs with --baselines DIR",
      run.path, suites.empty() ? "it names no suites" : "its suites are not found: " + suites));
}

/// Number of baselines of all devices and suites.
std::size_t count_baselines(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    count += entry.path().extension() == ".csv";
  return count;
}

/// Removes acknowledged changes from the ledger that are now part of the baselines.
std::vector<LedgerEntry> drop_spent(const Run& run, const std::string& baselines,
                                    const std::vector<AcceptedSuite>& accepted, bool dry_run) {
  std::vector<LedgerEntry> spent;
  const std::string path = ledger_path(baselines);
  if (!fs::exists(path)) return spent;
  const bool is_only_one = accepted.size() == 1 &&
                           count_baselines(baselines) == (fs::exists(accepted[0].path) ? 1u : 0u);
  edit_ledger(
      path,
      [&](std::vector<LedgerEntry>& entries) {
        for (const AcceptedSuite& suite : accepted) {
          const std::string device = fs::path(suite.path).parent_path().filename().string();
          ReplacedBaseline replaced{device, suite.suite, {}, is_only_one};
          for (const ResultRow& row : run.rows)
            if (row.suite == suite.suite && has_samples(row.status))
              replaced.measured.insert({row.case_id, row.metric});
          std::ranges::move(take_spent(entries, replaced), std::back_inserter(spent));
        }
      },
      dry_run);
  return spent;
}

/// True if the same code ran on both sides, as far as runs record it.
bool is_same_code(const Environment& before, const Environment& now) {
  return !now.commit.empty() && before.commit == now.commit && !now.worker_hash.empty() &&
         before.worker_hash == now.worker_hash;
}

/// Options for accepting: a case that changed since the baseline starts anew, because its earlier
/// runs no longer show its time. A screen decides this: by mistake it may restart an unchanged
/// case, or keep a changed one, which adds noise.
AcceptOptions options_for(const AcceptRequest& request, const Run& run,
                          const std::string& baselines, Talk& talk) {
  AcceptOptions options;
  options.unmeasured = is_of_whole_suites(run) ? Unmeasured::drop : Unmeasured::keep;
  options.replaces = request.replaces;
  options.writes = !request.dry_run;
  if (options.replaces || !fs::exists(baselines)) return options;
  const auto baseline = read_baseline(baselines, run);
  if (!baseline) return options;
  const DecisionRule rule = default_rule(run.info.environment.device_kind);
  const Comparison comparison = screen(*baseline, run, rule, "", talk).comparison;
  // If all cases of a machine moved together, as with a driver, no single case shows it. Two cards
  // of a class may differ that much, and a baseline has to include this difference.
  const Environment &before = baseline->run.info.environment, &now = run.info.environment;
  const Sameness sameness = relation_of(before, now).sameness;
  options.replaces = sameness <= Sameness::other_state && comparison.has_shifted();
  // A measurement on another card is no change of the case: it shows how far cards differ.
  if (sameness > Sameness::other_state && is_same_code(before, now)) return options;
  for (const Finding& finding : comparison.findings)
    if (finding.verdict == Verdict::slower || finding.verdict == Verdict::faster)
      options.changed.insert({finding.suite, finding.case_id});
  return options;
}

/// Why a comparison with the run would show little, or "".
std::string blindness_of(const Run& run) {
  const DecisionRule rule = default_rule(run.info.environment.device_kind);
  return run_noise_text(run_noise(run, rule.effect_floor, rule.confidence));
}

/// The user's reason for accepting a run that would show little, or "" if the run shows enough.
std::string reason_of_blind_run(const Run& run, const AcceptRequest& request, Talk& talk) {
  const std::string blindness = blindness_of(run);
  if (blindness.empty()) {
    if (!request.even_so.empty())
      talk.note("--even-so is not needed: most cases of the run can show what counts");
    return "";
  }
  if (request.even_so.empty())
    throw Error(run.path + ": " + blindness +
                " To accept it all the same, say why: --even-so \"REASON\"");
  return request.even_so;
}

}  // namespace

AcceptResult accept_run(const AcceptRequest& request, Talk& talk) {
  const Run run = read_run(request.run);
  talk.notes(run.warnings);
  const Project project = project_of(run, request.places);
  const std::string& baselines = project.places.baselines;
  Acceptance acceptance;
  acceptance.by = request.author.empty() ? default_name(project.base) : request.author;
  acceptance.why = request.why;
  acceptance.at = now_utc();
  read_ledger(ledger_path(baselines));  // report a malformed ledger before anything else
  require_fit(run);
  acceptance.even_so = reason_of_blind_run(run, request, talk);
  AcceptResult result;
  result.suites = accept(run, baselines, acceptance, options_for(request, run, baselines, talk));
  result.spent = drop_spent(run, baselines, result.suites, request.dry_run);
  if (!result.spent.empty()) result.ledger = ledger_path(baselines);
  return result;
}

std::string refusal_of(const Run& run, const std::string& baselines) {
  try {
    PlaceRequest places;
    places.baselines = baselines;
    project_of(run, places);
    require_fit(run);
    return blindness_of(run);
  } catch (const Error& error) {
    const std::string said = error.what(), about = run.path + ": ";
    return said.starts_with(about) ? said.substr(about.size()) : said;
  }
}

void add_refusal(const Run& candidate, Comparison& comparison) {
  const std::string& baseline = comparison.baseline_path;
  comparison.refusal = refusal_of(candidate, is_baselines_folder(baseline) ? baseline : "");
}

}  // namespace plumbline
