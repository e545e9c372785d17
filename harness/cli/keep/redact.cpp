/// plumbline redact: a copy of runs and comparisons that can be given to strangers.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "core/words.h"
#include "terminal/console.h"
#include "terminal/run_progress.h"
#include "workflow/results/redacted_copy.h"

namespace plumbline {
namespace {

std::string list_text(std::string_view title, const std::set<std::string>& fields) {
  std::string text;
  for (const std::string& field : fields) text += (text.empty() ? "" : ", ") + field;
  return text.empty() ? "" : fmt::format("{}: {}\n", title, text);
}

std::string as_json(const RedactedCopy& copy) {
  const RedactionSummary& summary = copy.summary;
  return json_text(Json{{"outputs", copy.outputs},
                        {"kept", summary.kept},
                        {"replaced", summary.replaced},
                        {"left_out", summary.left_out},
                        {"unknown", summary.unknown}});
}

int redact_results(const RedactRequest& request, bool json) {
  ConsoleTalk talk;
  const RedactedCopy copy = redact(request, talk);
  if (json) {
    print_result(as_json(copy));
    return kExitOk;
  }
  const RedactionSummary& summary = copy.summary;
  say(list_text("replaced by placeholders", summary.replaced) +
      list_text("left out", summary.left_out) +
      list_text("left out, since this Plumbline does not know them", summary.unknown) +
      fmt::format("kept: {}; --json lists them\n", counted(summary.kept.size(), "other field")));
  for (const std::string& output : copy.outputs) print_result(output + "\n");
  return kExitOk;
}

}  // namespace

Command redact_command() {
  return {
      "redact", "Copy runs and comparisons without names of people, machines and files",
      [](CLI::App& app) {
        auto request = std::make_shared<RedactRequest>();
        auto json = std::make_shared<bool>(false);
        app.add_option("RUN|COMPARISON", request->inputs,
                       "run directories, folders of `ab`, or a comparison.json, which brings its "
                       "runs; those that shall match are redacted together")
            ->required();
        app.add_option("-o,--output", request->output, "a new or empty folder")
            ->required()
            ->type_name("DIR");
        app.add_flag("--json", *json, "print the fields as JSON");
        app.footer(
            "Hosts, users, paths, branches and devices become placeholders such as gpu-1; the same "
            "value has the same one. Command lines, variables, logs, notes and reasons are left "
            "out. Names of suites, cases and kernels, versions, commits and all numbers stay. The "
            "copy is compared and shown as the original; its verdict is the same.\nStandard "
            "output: the path of each copy.\nExit codes: 0; 2 a mistake or an unreadable file.");
        return Action([request, json](const auto&) { return redact_results(*request, *json); });
      }};
}

}  // namespace plumbline
