/// plumbline site: a static folder with a page per commit and per case.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "core/words.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "workflow/results/site_folder.h"
#include "workflow/setup/project.h"

namespace plumbline {
namespace {

struct SiteFlags {
  std::string folder, title, url;
  PlaceRequest places;
};

int site(const SiteFlags& flags) {
  const Project project = find_project(".", flags.places);
  ConsoleTalk talk;
  const SiteResult result = update_site(
      {flags.folder, project.places.runs, project.places.baselines, flags.title, flags.url}, talk);
  for (const std::string& note : result.notes) print_note(note);
  say(fmt::format("{} ({} new), {} ({} written)\n", counted(result.runs, "run"), result.new_runs,
                  counted(result.cases, "case"), result.new_pages));
  print_result(std::filesystem::absolute(flags.folder + "/index.html").lexically_normal().string() +
               "\n");
  return kExitOk;
}

}  // namespace

Command site_command() {
  return {
      "site", "Write a static site about many runs: a page per commit and per case",
      [](CLI::App& app) {
        auto flags = std::make_shared<SiteFlags>();
        app.add_option("DIR", flags->folder,
                       "the site; made where it is not there, else brought up to date")
            ->required();
        add_runs_flag(app, flags->places);
        add_baselines_flag(app, flags->places);
        app.add_option("--title", flags->title, "title of the site [name of the project]")
            ->type_name("TEXT");
        app.add_option("--url", flags->url, "where the site is published, for links of its feeds")
            ->type_name("URL");
        app.footer(
            "Shows the finished runs in --runs, with the comparison.json and report.html that "
            "`check` leaves in them, and folders of `ab`. Only new runs are read and rendered; "
            "pages of deleted runs stay. A regression stays open until a run is back at the level "
            "before, or the ledger or a run that was accepted into --baselines settles it. "
            "feed.xml and feed.json tell regressions to feed readers; shields.io draws "
            "badge.json.\nStandard output: the path "
            "of the first page.\nExit codes: 0; 2 nothing to show, or a file that cannot be read "
            "or written. What pages say does not change them.");
        return Action([flags](const auto&) { return site(*flags); });
      }};
}

}  // namespace plumbline
