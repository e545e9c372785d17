/// plumbline accept: makes a run the baseline of its device class and suites.
#include "workflow/judge/accept.h"

#include <fmt/format.h>

#include <memory>

#include "analysis/compare/ledger_effects.h"
#include "cli/command.h"
#include "core/words.h"
#include "store/json/json_fields.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"

namespace plumbline {
namespace {

void tell(const AcceptedSuite& suite) {
  print_talk(fmt::format("{}: {} accepted\n", suite.suite, counted(suite.cases, "case")));
  if (!suite.replaced.empty())
    print_talk(fmt::format("  in place of the baseline {}\n", suite.replaced));
  if (suite.runs > 1)
    print_talk(fmt::format("  the baseline stands on {}, {}, {}\n", counted(suite.runs, "run"),
                           counted(suite.devices, "device"), counted(suite.days, "day")));
  const auto tell_list = [](const char* what, const std::vector<std::string>& items) {
    for (const std::string& item : items) print_talk(fmt::format("  {}: {}\n", what, item));
  };
  if (suite.not_run > 0)
    say(fmt::format("  {} excluded or not supported on this device\n",
                    counted(suite.not_run, "case")));
  tell_list("accepted as it is", suite.not_ok);
  tell_list("left out", suite.left_out);
  tell_list("dropped", suite.dropped);
  if (!suite.anew.empty())
    say(fmt::format("  {} changed: what was accepted of {} before is dropped\n",
                    counted(suite.anew.size(), "case"), suite.anew.size() == 1 ? "it" : "them"));
  if (!suite.kept.empty())
    say(fmt::format("  {} kept from the earlier baseline\n", counted(suite.kept.size(), "case")));
  for (const std::string& note : suite.notes) print_note(note);
}

std::string as_json(const AcceptResult& accepted) {
  Json suites = Json::array(), spent = Json::array();
  for (const AcceptedSuite& suite : accepted.suites)
    suites.push_back({{"suite", suite.suite},
                      {"baseline", suite.path},
                      {"runs", suite.runs},
                      {"devices", suite.devices},
                      {"days", suite.days},
                      {"cases", suite.cases},
                      {"not_run", suite.not_run},
                      {"accepted_as_it_is", suite.not_ok},
                      {"left_out", suite.left_out},
                      {"replaced", suite.replaced},
                      {"changed", suite.anew},
                      {"kept", suite.kept},
                      {"dropped", suite.dropped},
                      {"notes", suite.notes}});
  for (const LedgerEntry& entry : accepted.spent)
    spent.push_back(
        {{"case", entry.case_id}, {"metric", entry.metric}, {"entry", entry_text(entry)}});
  return json_text(
      Json{{"suites", suites}, {"taken_out_of_the_ledger", spent}, {"ledger", accepted.ledger}});
}

int accept_and_show(const AcceptRequest& request, bool json) {
  ConsoleTalk talk;
  const AcceptResult accepted = accept_run(request, talk);
  if (json) {
    if (request.dry_run) print_note(kDryRunNote);
    print_result(as_json(accepted));
    return kExitOk;
  }
  std::string paths;
  for (const AcceptedSuite& suite : accepted.suites) {
    tell(suite);
    paths += suite.path + "\n";
  }
  for (const LedgerEntry& entry : accepted.spent)
    print_talk(fmt::format("  taken out of the ledger, it is in the baseline now: {}{}, {}\n",
                           entry.case_id, entry.metric.empty() ? "" : " " + entry.metric,
                           entry_text(entry)));
  if (request.dry_run) print_note(kDryRunNote);
  print_result(paths + (accepted.ledger.empty() ? "" : accepted.ledger + "\n"));
  return kExitOk;
}

}  // namespace

Command accept_command() {
  return {"accept", "Make a run the accepted baseline of its device class", [](CLI::App& app) {
            auto flags = std::make_shared<AcceptRequest>();
            auto json = std::make_shared<bool>(false);
            app.add_option("RUN", flags->run, "a finished run")->required();
            app.add_option("--author", flags->author, "who decides this [git's user.name]")
                ->type_name("NAME");
            app.add_option("--why", flags->why, "the reason, kept in the baseline's history")
                ->type_name("TEXT");
            app.add_flag("--replace", flags->replaces,
                         "begin anew: drop the runs that were accepted before");
            app.add_option("--even-so", flags->even_so,
                           "why, for a run that is so noisy that a third of its cases could not "
                           "show what counts")
                ->type_name("REASON");
            add_dry_run_flag(app, flags->dry_run);
            add_baselines_flag(app, flags->places);
            app.add_flag("--json", *json, "print what was accepted as JSON");
            app.footer(
                "The run is added to those accepted before, up to ten; of a case that changed, and "
                "of all where the whole run shifted, they are dropped.\nCases that a filtered run "
                "did not measure keep their earlier baseline.\nStandard output: the CSV files "
                "written; each has its .json beside it, and both are to be committed.\nExit codes: "
                "0; 2 a mistake, or a run that cannot be accepted.");
            return Action([flags, json](const auto&) { return accept_and_show(*flags, *json); });
          }};
}

}  // namespace plumbline
