/// plumbline report: a page about a run, or about a comparison.
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/page.h"
#include "cli/side_by_side.h"

namespace plumbline {
namespace {

struct ReportFlags {
  std::vector<std::string> inputs;
  std::string output = "report.html", title, as = "report";
};

int report(const ReportFlags& flags) {
  if (flags.as == "before-after") {
    print_result(before_after(flags.inputs, flags.output, flags.title));
    print_note("written: " + std::filesystem::absolute(flags.output).string());
    return kExitOk;
  }
  write_page(flags.inputs, flags.output, flags.title);
  print_result(std::filesystem::absolute(flags.output).string() + "\n");
  return kExitOk;
}

}  // namespace

Command report_command() {
  return {
      "report", "Write a page about a run or a comparison, in one HTML file", [](CLI::App& app) {
        auto flags = std::make_shared<ReportFlags>();
        app.add_option("RUN|COMPARISON", flags->inputs,
                       "a run (or its shards), or a comparison.json; with --as before-after runs")
            ->required();
        app.add_option("-o,--output", flags->output, "the page [report.html]")->type_name("FILE");
        app.add_option("--title", flags->title, "of the window [suite and commit]")
            ->type_name("TEXT");
        app.add_option("--as", flags->as,
                       "before-after: two or more runs of the same work on one device, with the "
                       "factor won over the first")
            ->type_name("report|before-after")
            ->check(CLI::IsMember({"report", "before-after"}));
        app.footer(
            "Standard output: the path of the page; with --as before-after its table.\nExit codes: "
            "0; 2 a mistake or unreadable "
            "file. What the page says does not change them.");
        return Action([flags](const auto&) { return report(*flags); });
      }};
}

}  // namespace plumbline
