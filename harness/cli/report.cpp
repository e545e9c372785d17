/// plumbline report: a page about a run, or about a comparison.
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/page.h"

namespace plumbline {
namespace {

struct ReportFlags {
  std::vector<std::string> inputs;
  std::string output = "report.html", title;
};

int report(const ReportFlags& flags) {
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
                       "a run (or its shards), or a comparison.json")
            ->required();
        app.add_option("-o,--output", flags->output, "the page [report.html]")->type_name("FILE");
        app.add_option("--title", flags->title, "of the window [suite and commit]")
            ->type_name("TEXT");
        app.footer(
            "Standard output: the path of the page.\nExit codes: 0; 2 a mistake or unreadable "
            "file. What the page says does not change them.");
        return Action([flags](const auto&) { return report(*flags); });
      }};
}

}  // namespace plumbline
