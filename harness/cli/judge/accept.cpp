/// plumbline accept: makes a run the baseline of its device class and suites.
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>

#include "analysis/compare/ledger_effects.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/flags.h"
#include "core/error.h"
#include "core/moment.h"
#include "core/words.h"
#include "store/run/baseline.h"
#include "store/run/run_reader.h"
#include "store/verdict/ledger_json.h"
#include "workflow/plan/git.h"
#include "workflow/plan/project.h"
#include "workflow/results/input_runs.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

struct AcceptFlags {
  std::string run, by, why;
  PlaceRequest places;
};

std::string default_name(const std::string& folder) {
  if (const std::string name = git_identity(folder); !name.empty()) return name;
  const passwd* const user = getpwuid(getuid());
  return user ? user->pw_name : "";
}

void tell(const AcceptedSuite& suite) {
  print_talk(fmt::format("{}: {} accepted\n", suite.suite, counted(suite.cases, "case")));
  if (!suite.replaced.empty())
    print_talk(fmt::format("  in place of the baseline {}\n", suite.replaced));
  const auto tell_list = [](const char* what, const std::vector<std::string>& items) {
    for (const std::string& item : items) print_talk(fmt::format("  {}: {}\n", what, item));
  };
  if (suite.not_run > 0)
    say(fmt::format("  {} excluded or not supported on this device\n",
                    counted(suite.not_run, "case")));
  tell_list("accepted as it is", suite.not_ok);
  tell_list("left out", suite.left_out);
  tell_list("dropped", suite.dropped);
  if (!suite.kept.empty())
    say(fmt::format("  {} kept from the earlier baseline\n", counted(suite.kept.size(), "case")));
  for (const std::string& note : suite.notes) print_note(note);
}

/// The project that the run's baselines belong to. Not the run's own folder for want of a better
/// one: runs are thrown away.
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

/// Of every device and suite.
std::size_t count_baselines(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    count += entry.path().extension() == ".csv";
  return count;
}

/// Acknowledged changes that are in the baselines now.
void drop_spent(const Run& run, const std::string& baselines,
                const std::vector<AcceptedSuite>& accepted, std::string& paths) {
  const std::string path = ledger_path(baselines);
  if (!fs::exists(path)) return;
  std::vector<LedgerEntry> spent;
  const bool is_only_one = accepted.size() == 1 && count_baselines(baselines) == 1;
  edit_ledger(path, [&](std::vector<LedgerEntry>& entries) {
    for (const AcceptedSuite& suite : accepted) {
      const std::string device = fs::path(suite.path).parent_path().filename().string();
      ReplacedBaseline replaced{device, suite.suite, {}, is_only_one};
      for (const ResultRow& row : run.rows)
        if (row.suite == suite.suite && has_samples(row.status))
          replaced.measured.insert({row.case_id, row.metric});
      std::ranges::move(take_spent(entries, replaced), std::back_inserter(spent));
    }
  });
  for (const LedgerEntry& entry : spent)
    print_talk(fmt::format("  taken out of the ledger, it is in the baseline now: {}{}, {}\n",
                           entry.case_id, entry.metric.empty() ? "" : " " + entry.metric,
                           entry_text(entry)));
  if (!spent.empty()) paths += path + "\n";
}

int accept_run(const AcceptFlags& flags) {
  const Run run = read_run(flags.run);
  for (const std::string& warning : run.warnings) print_note(warning);
  const Project project = project_of(run, flags.places);
  Acceptance acceptance;
  acceptance.by = flags.by.empty() ? default_name(project.base) : flags.by;
  acceptance.why = flags.why;
  acceptance.at = now_utc();
  read_ledger(ledger_path(project.places.baselines));  // a malformed one is told before all else
  const auto accepted = accept(run, project.places.baselines, acceptance,
                               is_of_whole_suites(run) ? Unmeasured::drop : Unmeasured::keep);
  std::string paths;
  for (const AcceptedSuite& suite : accepted) {
    tell(suite);
    paths += suite.path + "\n";
  }
  drop_spent(run, project.places.baselines, accepted, paths);
  print_result(paths);
  return kExitOk;
}

}  // namespace

Command accept_command() {
  return {"accept", "Make a run the accepted baseline of its device class", [](CLI::App& app) {
            auto flags = std::make_shared<AcceptFlags>();
            app.add_option("RUN", flags->run, "a finished run")->required();
            app.add_option("--by", flags->by, "who accepts it [git's user]")->type_name("NAME");
            app.add_option("--why", flags->why, "why, for those who read the baseline's history")
                ->type_name("TEXT");
            add_baselines_flag(app, flags->places);
            app.footer(
                "Cases that a filtered run did not measure keep their earlier baseline.\nStandard "
                "output: the CSV files written; each has its .json beside it, and both are to be "
                "committed.\nExit codes: 0; 2 a mistake, or a run "
                "that cannot be accepted.");
            return Action([flags](const auto&) { return accept_run(*flags); });
          }};
}

}  // namespace plumbline
