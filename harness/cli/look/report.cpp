/// plumbline report: a page about a run, or about a comparison.
#include <filesystem>
#include <memory>

#include "cli/choice.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/flags.h"
#include "cli/look/side_by_side.h"
#include "cli/run_output.h"
#include "core/error.h"
#include "workflow/results/page.h"

namespace plumbline {
namespace {

struct ReportFlags {
  BeforeAfter shown;
  std::string as = "report", history;
};

int report(const ReportFlags& flags) {
  const BeforeAfter& shown = flags.shown;
  const std::string page = std::filesystem::absolute(shown.output).string();
  if (flags.as == "before-after") {
    if (!flags.history.empty()) throw Error("--history does not go with --as before-after");
    shown.is_markdown ? print_result(before_after(shown)) : print_text(before_after(shown));
    print_note("written: " + page);
    return kExitOk;
  }
  const std::string unused = !shown.axis.empty()        ? "--variants"
                             : !shown.reference.empty() ? "--reference"
                             : shown.is_markdown        ? "--markdown"
                                                        : "";
  if (!unused.empty()) throw Error(unused + " is about variants; add --as before-after");
  ConsoleTalk talk;
  write_page(shown.inputs, shown.output, shown.title, flags.history, talk);
  print_result(page + "\n");
  return kExitOk;
}

}  // namespace

Command report_command() {
  return {
      "report", "Write a page about a run or a comparison, in one HTML file", [](CLI::App& app) {
        auto flags = std::make_shared<ReportFlags>();
        app.add_option("RUN|COMPARISON", flags->shown.inputs,
                       "a run (or its shards), or a comparison.json; with --as before-after runs")
            ->required();
        app.add_option("-o,--output", flags->shown.output, "the page [report.html]")
            ->type_name("FILE");
        app.add_option("--title", flags->shown.title, "of the window [suite and commit]")
            ->type_name("TEXT");
        app.add_option("--history", flags->history,
                       "a folder of runs: each case is shown beside its earlier ones")
            ->type_name("DIR");
        app.add_option("--as", flags->as,
                       "before-after: variants of the same work on one device, with the factor won "
                       "over the first; each run is one, or with --variants cases of one run")
            ->type_name("report|before-after")
            ->check(one_of({"report", "before-after"}));
        app.add_option("--variants", flags->shown.axis,
                       "cases that are equal but for this axis are variants: backend, plan, or any "
                       "other parameter, block")
            ->type_name("AXIS");
        app.add_option(
               "--reference", flags->shown.reference,
               "run or value of the axis that the others are set beside [the first measured]")
            ->type_name("VARIANT");
        app.add_flag("--markdown", flags->shown.is_markdown, "the table in Markdown");
        app.footer(
            "Standard output: the path of the page; with --as before-after its table.\nExit codes: "
            "0; 2 a mistake or unreadable "
            "file. What the page says does not change them.");
        return Action([flags](const auto&) { return report(*flags); });
      }};
}

}  // namespace plumbline
