/// plumbline report: a page about a run or a comparison.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/pair_flags.h"
#include "cli/text_files.h"
#include "core/error.h"
#include "core/words.h"
#include "reports/devices/headline.h"
#include "reports/devices/texts.h"
#include "reports/devices/variants.h"
#include "terminal/choice.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "terminal/table.h"
#include "workflow/results/before_after.h"
#include "workflow/results/page.h"
#include "workflow/results/redacted_copy.h"
#include "workflow/setup/project.h"

namespace plumbline {
namespace {

struct ReportFlags {
  BeforeAfterRequest shown;
  PlaceRequest places;
  std::string as = "report", markdown;
  bool is_redacted = false;
};

/// A table for each case, since ids are longer than any column below them.
std::string cases_text(const DeviceTable& table) {
  std::vector<Table::Column> columns;
  for (const std::string& name : variants_header(table))
    columns.push_back({name, columns.empty() ? Fit::word : Fit::number});
  std::string text;
  for (const VariantCase& one : variant_cases(table)) {
    Table shown(columns);
    for (const std::vector<std::string>& line : one.lines) {
      std::vector<Table::Cell> cells;
      for (const std::string& cell : line) cells.push_back({(cells.empty() ? "  " : "") + cell});
      shown.add(std::move(cells));
    }
    text += coloured(one.case_id, Colour::bold, 1) + "\n" + shown.text() + "\n";
  }
  return text;
}

std::string terminal_text(const DeviceTable& table) {
  std::string text = devices_sentence(table) + "\n";
  for (const std::string& caveat : devices_caveats(table)) text += caveat + "\n";
  text += "\n" + cases_text(table);
  for (const DeviceColumn& column : table.columns)
    for (const std::string& stack : stack_texts(column)) text += column.name + ": " + stack + "\n";
  for (const DeviceReason& one : device_reasons(table))
    text += fmt::format("{}, {} without a factor: {}\n", one.device,
                        counted(one.rows.size(), "case"), one.reason);
  return text;
}

int report(const ReportFlags& flags) {
  const BeforeAfterRequest& shown = flags.shown;
  const std::string page = std::filesystem::absolute(shown.output).string();
  ConsoleTalk talk;
  if (flags.is_redacted && (flags.as != "report" || flags.places.history))
    throw Error(
        "--redact is about a page of one run or comparison; for others make the page of "
        "copies, which `plumbline redact` writes");
  if (flags.as == "before-after") {
    if (flags.places.history) throw Error("--history does not go with --as before-after");
    const BeforeAfter made = before_after(shown, talk);
    if (!flags.markdown.empty()) write_text_file(flags.markdown, variants_markdown(made.table));
    if (!is_standard_output(flags.markdown)) print_text(terminal_text(made.table));
    print_note("written: " + page);
    return kExitOk;
  }
  const std::string unused = !shown.axis.empty()        ? "--variants"
                             : !shown.reference.empty() ? "--reference"
                             : !flags.markdown.empty()  ? "--markdown"
                                                        : "";
  if (!unused.empty()) throw Error(unused + " is about variants; add --as before-after");
  flags.is_redacted ? write_redacted_page(shown.inputs, shown.output, shown.title, talk)
                    : write_page(shown.inputs, shown.output, shown.title,
                                 find_project(".", flags.places).history, talk);
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
        app.add_option("--title", flags->shown.title, "title of the page [suite and commit]")
            ->type_name("TEXT");
        add_history_flag(app, flags->places, "show each case beside its earlier runs in --runs");
        add_runs_flag(app, flags->places);
        app.add_option("--as", flags->as,
                       "before-after: variants of the same work on one device, with the factor won "
                       "over the first; each run is one, or with --variants cases of one run")
            ->type_name("report|before-after")
            ->check(one_of({"report", "before-after"}));
        app.add_option(
               "--variants", flags->shown.axis,
               "cases that are equal except for this axis are variants: backend, plan, technique, "
               "or any other parameter, block")
            ->type_name("AXIS");
        app.add_option("--reference", flags->shown.reference,
                       "run, or value of the axis, to compare the others with [the first measured]")
            ->type_name("VARIANT");
        app.add_flag("--redact", flags->is_redacted,
                     "without names of people, machines and files (`plumbline redact`)");
        add_text_file(app, "--markdown", flags->markdown,
                      "with --as before-after: the table as Markdown");
        app.footer(
            "Standard output: the path of the page; with --as before-after its table.\nExit codes: "
            "0; 2 a mistake or unreadable "
            "file. What the page says does not change them.");
        return Action([flags](const auto&) { return report(*flags); });
      }};
}

}  // namespace plumbline
